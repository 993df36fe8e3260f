internal import JSON
internal import Ledger
internal import Money
internal import Pricing
internal import Time

/// The prices in a request body. They have the keys of a pricing file.
struct PriceFields {
  private let body: Body

  static let fields: Fields = Fields(
    [
      (
        PriceTable.tokensKey,
        .object(Fields(PricedQuantity.tokens.map { ($0.priceKey, price) }).optional)
      )
    ]
      + PriceTable.otherQuantities.map { quantity in
        (
          quantity.priceKey,
          quantity == .image ? .either([price, .map(of: .map(of: price))]) : price
        )
      })
  /// The prices that a client can have of its own for a model: those of usage, completion windows
  /// and containers.
  static let agreed =
    fields
    + [
      AgreedPrices.windowsKey: .map(
        of: .object([
          PriceTable.tokensKey: .object(
            Fields(PricedQuantity.tokens.map { ($0.priceKey, price) }).optional)
        ])),
      AgreedPrices.containersKey: .map(of: price),
    ]
  /// A price: a decimal with up to twelve decimals.
  private static let price = JSONSchema.text(pattern: #"^[0-9]+(\.[0-9]{1,12})?$"#)
  static let names = fields.names

  private static let tokenNames = PricedQuantity.tokens.map(\.priceKey)
  private static let rule =
    "a decimal in text with at most \(FixedDecimal.places) places, such as \"0.15\""

  init(_ body: Body) {
    self.body = body
  }

  /// Reads at least one price. Its unit must be one that the price book uses for the model: a price
  /// in another unit would be charged in addition to the book's.
  func prices(for model: PricedModel, at now: Timestamp) throws(APIError) -> AgreedPrices {
    let windows = model.declaredPrices(at: now)?.completionWindows.keys.sorted() ?? []
    let prices = AgreedPrices(
      try table(for: model),
      completionWindows: try completionWindows(among: windows, of: model.name),
      containers: try containers(among: model.containers.keys.sorted()))
    guard !prices.isEmpty else { throw .missingField(PriceTable.tokensKey) }
    return prices
  }

  private func table(for model: PricedModel) throws(APIError) -> PriceTable {
    var table =
      try body.value(PriceTable.tokensKey).map { value throws(APIError) in
        try PriceFields.tokens(value, PriceTable.tokensKey)
      } ?? PriceTable()
    for quantity in PriceTable.otherQuantities {
      guard let value = body.value(quantity.priceKey) else { continue }
      if quantity == .image, value.kind == .object {
        table.images = try images(value)
      } else {
        table[quantity] = try PriceFields.price(value, quantity.priceKey)
      }
    }
    try checkUnits(of: model)
    return table
  }

  private func checkUnits(of model: PricedModel) throws(APIError) {
    let units = model.pricedUnits.union([.call])
    let allowed = PriceFields.names.filter { units.contains(PriceFields.unit(of: $0)) }
    for name in PriceFields.names where body.value(name) != nil && !allowed.contains(name) {
      throw .invalidValue(name, allowed: "for \(model.name): \(allowed.joined(separator: ", "))")
    }
  }

  /// Reads `{ 2h: { per_million_tokens: { input: "0.1" } } }`.
  private func completionWindows(
    among names: [String], of model: String
  ) throws(APIError) -> [String: PriceTable] {
    let key = AgreedPrices.windowsKey
    var windows: [String: PriceTable] = [:]
    try forEachMember(of: key) { name, value throws(APIError) in
      let place = "\(key).\(name)"
      guard names.contains(name) else {
        let windows = names.isEmpty ? "none" : names.joined(separator: ", ")
        throw .invalidValue(place, allowed: "a window that \(model) has a price for: \(windows)")
      }
      var members = value.members.makeIterator()
      guard let only = members.next(), members.next() == nil,
        only.key.isString(PriceTable.tokensKey)
      else {
        throw .invalidValue(place, allowed: "an object with \(PriceTable.tokensKey) alone")
      }
      windows[name] = try PriceFields.tokens(only.value, "\(place).\(PriceTable.tokensKey)")
    }
    return windows
  }

  /// Reads `{ 4g: "0.10" }`.
  private func containers(
    among sizes: [String]
  ) throws(APIError) -> [String: FixedDecimal] {
    let key = AgreedPrices.containersKey
    var containers: [String: FixedDecimal] = [:]
    try forEachMember(of: key) { size, value throws(APIError) in
      guard sizes.contains(size) else {
        let allowed = sizes.isEmpty ? "none" : sizes.joined(separator: ", ")
        throw .invalidValue(
          "\(key).\(size)", allowed: "a memory that the pricing file has a price for: \(allowed)")
      }
      containers[size] = try PriceFields.price(value, "\(key).\(size)")
    }
    return containers
  }

  private func forEachMember(
    of key: String, _ read: (String, JSONValue) throws(APIError) -> Void
  ) throws(APIError) {
    guard let value = body.value(key) else { return }
    guard value.kind == .object, value.repeatedKey == nil else {
      throw .invalidValue(key, allowed: "an object")
    }
    for member in value.members { try read(member.key.string ?? "", member.value) }
  }

  private static func tokens(
    _ value: JSONValue, _ key: String
  ) throws(APIError) -> PriceTable {
    var table = PriceTable()
    guard value.kind == .object, value.repeatedKey == nil else {
      throw .invalidValue(key, allowed: "an object with the prices of kinds of tokens")
    }
    for member in value.members {
      let name = member.key.string ?? ""
      guard let quantity = PricedQuantity.tokens.first(where: { $0.priceKey == name }) else {
        throw .unknownField("\(key).\(name)", allowed: PriceFields.tokenNames)
      }
      table[quantity] = try PriceFields.price(member.value, "\(key).\(name)")
    }
    return table
  }

  /// Reads `{ SIZE: { QUALITY: price } }`.
  private func images(_ sizes: JSONValue) throws(APIError) -> [ImageVariant: FixedDecimal] {
    let key = PricedQuantity.image.priceKey
    var images: [ImageVariant: FixedDecimal] = [:]
    for size in sizes.members {
      guard let name = size.key.string, size.value.kind == .object else {
        throw .invalidValue(key, allowed: "a price, or one for each quality of each size")
      }
      for quality in size.value.members {
        let kind = quality.key.string ?? ""
        images[ImageVariant(size: name, quality: kind)] =
          try PriceFields.price(quality.value, "\(key).\(name).\(kind)")
      }
    }
    return images
  }

  private static func price(_ value: JSONValue, _ name: String) throws(APIError) -> FixedDecimal {
    guard let text = value.string, let price = try? FixedDecimal(decimal: text) else {
      throw .invalidValue(name, allowed: rule)
    }
    return price
  }

  private static func unit(of name: String) -> PricedQuantity.Unit {
    PriceTable.otherQuantities.first { $0.priceKey == name }?.unit ?? .token
  }
}
