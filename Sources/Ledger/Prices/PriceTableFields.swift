public import JSON
internal import Money
public import Pricing

extension JSONWriter {
  /// Writes prices as members with the keys of a pricing file, each as decimal text:
  /// `"per_million_tokens":{"input":"0.150000000"},"per_minute":"0.006000000"`.
  public mutating func members(of table: PriceTable) {
    let tokens = PricedQuantity.tokens.filter { table[$0] != nil }
    if !tokens.isEmpty {
      member(PriceTable.tokensKey) { writer in
        writer.object { object in
          for quantity in tokens { object.member(quantity.priceKey, table[quantity]?.moneyText) }
        }
      }
    }
    for quantity in PriceTable.otherQuantities {
      if quantity == .image, !table.images.isEmpty {
        member(quantity.priceKey) { $0.images(table.images) }
      } else if let price = table[quantity] {
        member(quantity.priceKey, price.moneyText)
      }
    }
  }

  /// Writes `{ SIZE: { QUALITY: price } }`.
  private mutating func images(_ prices: [ImageVariant: FixedDecimal]) {
    let bySize = Dictionary(grouping: prices, by: \.key.size).sorted { $0.key < $1.key }
    object { sizes in
      for (size, variants) in bySize {
        sizes.member(size) { writer in
          writer.object { qualities in
            for (variant, price) in variants.sorted(by: { $0.key.quality < $1.key.quality }) {
              qualities.member(variant.quality, price.moneyText)
            }
          }
        }
      }
    }
  }
}

extension JSONWriter {
  /// Writes a client's own prices as members with the keys of a pricing file.
  public mutating func members(of prices: AgreedPrices) {
    members(of: prices.table)
    if !prices.completionWindows.isEmpty {
      member(AgreedPrices.windowsKey) { writer in
        writer.object { object in
          for (name, table) in prices.completionWindows.sorted(by: { $0.key < $1.key }) {
            object.member(name) { entry in entry.object { $0.members(of: table) } }
          }
        }
      }
    }
    if !prices.containers.isEmpty { member(containers: prices.containers) }
  }
}

extension AgreedPrices {
  public static let windowsKey = "completion_windows"
  public static let containersKey = "containers"
  fileprivate static let keys = [windowsKey, containersKey]

  /// Reads the object that `JSONWriter.members(of:)` wrote.
  /// - Throws: `LedgerError.unreadable`.
  init(json text: String, of record: String) throws(LedgerError) {
    guard let root = try? JSONParser().parse(Array(text.utf8)), root.kind == .object else {
      throw .unreadable(record: record)
    }
    self.init(try PriceTable(root, of: record))
    for member in root.members {
      if member.key.isString(AgreedPrices.windowsKey) {
        for window in member.value.members {
          guard let name = window.key.string else { throw .unreadable(record: record) }
          completionWindows[name] = try PriceTable(window.value, of: record)
        }
      } else if member.key.isString(AgreedPrices.containersKey) {
        for size in member.value.members {
          guard let name = size.key.string else { throw .unreadable(record: record) }
          containers[name] = try PriceTable.price(size.value, of: record)
        }
      }
    }
  }
}

extension PriceTable {
  /// The key of the token prices.
  public static let tokensKey = "per_million_tokens"
  /// The quantities with a key beside `tokensKey`.
  public static let otherQuantities = PricedQuantity.allCases.filter { $0.unit != .token }

  /// Reads the members that `JSONWriter.members(of:)` wrote.
  /// - Throws: `LedgerError.unreadable`.
  fileprivate init(_ object: JSONValue, of record: String) throws(LedgerError) {
    self.init()
    for member in object.members {
      guard let key = member.key.string, !AgreedPrices.keys.contains(key) else { continue }
      if key == PriceTable.tokensKey {
        for price in member.value.members {
          let quantity = PricedQuantity.tokens.first { price.key.isString($0.priceKey) }
          try set(quantity, price.value, of: record)
        }
      } else if key == PricedQuantity.image.priceKey, member.value.kind == .object {
        images = try PriceTable.images(member.value, of: record)
      } else {
        let quantity = PriceTable.otherQuantities.first { $0.priceKey == key }
        try set(quantity, member.value, of: record)
      }
    }
  }

  private mutating func set(
    _ quantity: PricedQuantity?, _ value: JSONValue, of record: String
  ) throws(LedgerError) {
    guard let quantity else { throw .unreadable(record: record) }
    self[quantity] = try PriceTable.price(value, of: record)
  }

  private static func images(
    _ sizes: JSONValue, of record: String
  ) throws(LedgerError) -> [ImageVariant: FixedDecimal] {
    var images: [ImageVariant: FixedDecimal] = [:]
    for size in sizes.members {
      for quality in size.value.members {
        guard let name = size.key.string, let kind = quality.key.string else { continue }
        images[ImageVariant(size: name, quality: kind)] = try price(quality.value, of: record)
      }
    }
    return images
  }

  fileprivate static func price(
    _ value: JSONValue, of record: String
  ) throws(LedgerError) -> FixedDecimal {
    guard let text = value.string, let price = try? FixedDecimal(decimal: text) else {
      throw .unreadable(record: record)
    }
    return price
  }
}
