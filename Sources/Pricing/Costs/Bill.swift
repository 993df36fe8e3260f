public import Money

/// The charge for one answer: its usage, divided among the tariffs that price its parts.
///
/// Usually one tariff prices the whole usage. If several models made the answer, or if its calls
/// have several prices, each has its own item.
public struct Bill: Sendable {
  /// A part of the usage, with the tariff that prices it.
  public struct Item: Sendable {
    public let tariff: Tariff
    public let usage: Usage

    public init(_ usage: Usage, by tariff: Tariff) {
      self.tariff = tariff
      self.usage = usage
    }

    /// The provider's cost of the part by quantity, at the book's prices.
    public var providerLines: [CostLine] { (tariff.book ?? tariff).lines(of: usage) }
  }

  /// The items; at least one.
  public let items: [Item]
  /// The sum of all items.
  public let usage: Usage
  /// The client's markup.
  public let markup: Markup

  /// Returns nil without items, or if a sum exceeds `Usage.largestCount`.
  public init?(_ items: [Item], markup: Markup = .none) {
    guard !items.isEmpty, let usage = Usage.sum(of: items.map(\.usage)) else { return nil }
    self.items = items
    self.usage = usage
    self.markup = markup
  }

  public init(_ usage: Usage, by tariff: Tariff, markup: Markup = .none) {
    items = [Item(usage, by: tariff)]
    self.usage = usage
    self.markup = markup
  }

  /// Returns the sum of the items' costs with the markup, and the provider's charge without the
  /// markup and without the client's own prices. Each is rounded once.
  ///
  /// - Throws: `PricingError.unpriceable` and `PricingError.amountTooLarge`, as `Tariff.cost` does.
  public func cost() throws(PricingError) -> Cost {
    let rates = items[0].tariff.rates
    var charged = ExactAmount.zero
    var provider = ExactAmount.zero
    var unpriced: [PricedQuantity] = []
    var isTierAssumed = false
    for item in items {
      let cost = try item.tariff.exactCost(of: item.usage)
      charged += cost.charged
      provider += cost.provider
      unpriced += cost.unpriced.filter { !unpriced.contains($0) }
      isTierAssumed = isTierAssumed || item.tariff.origin.isTierAssumed
    }
    let exact = charged.with(markup)
    guard let nanoUSD = exact.roundedUp(in: .usd, rate: .one),
      let billed = exact.roundedUp(in: rates.billing, rate: rates.billingRate),
      let ofProvider = provider == exact ? nanoUSD : provider.roundedUp(in: .usd, rate: .one)
    else { throw .amountTooLarge }
    return Cost(
      exact: exact, nanoUSD: nanoUSD, billed: billed, provider: ofProvider, unpriced: unpriced,
      isTierAssumed: isTierAssumed)
  }

  /// Whether the client has neither its own prices nor a markup.
  public var chargesAsTheProvider: Bool {
    markup == .none && items.allSatisfy { $0.tariff.book == nil }
  }

  /// The client's charge by quantity, before the sum is rounded.
  public var lines: [CostLine] {
    items.flatMap { item in
      item.tariff.lines(of: item.usage).map { line in
        var line = line
        line.markup = markup
        return line
      }
    }
  }

  /// The provider's cost by quantity: `lines` at the book's prices.
  public var providerLines: [CostLine] { items.flatMap(\.providerLines) }
}

// MARK: Its record

extension Bill {
  private static let heading = "catraca bill 1"
  private static let itemKey = "item"
  private static let markupHeading = "catraca markup "

  /// The name of the prices: the tariff's version, or the versions of all tariffs and a fingerprint
  /// of the usage's division.
  ///
  /// With a markup, a fingerprint of the record follows, for example `…:gpt-4o-mini*1f3a9c2b44d0`.
  /// Clients see versions, so the version hides the markup itself. Equal versions of equal usages
  /// mean equal costs.
  public var version: String {
    if markup == .none { return versionOfPrices }
    let digits = String(TariffRecord.fingerprint(of: record), radix: 16).prefix(12)
    return "\(versionOfPrices)*\(digits)"
  }

  private var versionOfPrices: String {
    if items.count == 1 { return items[0].tariff.version }
    let digits = String(TariffRecord.fingerprint(of: recordOfPrices), radix: 16)
    return items.map(\.tariff.version).joined(separator: "+") + "=" + digits
  }

  /// Everything that the cost depends on. For one item, it is the tariff's record. For several
  /// items, it is the record of each, after a line with its part of the usage. With a markup, a
  /// line with the markup precedes the rest.
  public var record: String {
    markup == .none ? recordOfPrices : "\(Bill.markupHeading)\(markup)\n\(recordOfPrices)"
  }

  private var recordOfPrices: String {
    if items.count == 1 { return items[0].tariff.record }
    return items.reduce("\(Bill.heading)\n") { record, item in
      let counts = zip(Usage.countNames, item.usage.counts).filter { $0.1 > 0 }
      let line = counts.map { " \($0.0)=\($0.1)" }.joined()
      return record + "\(Bill.itemKey)\(line)\n" + item.tariff.record
    }
  }

  /// Reads the record of a usage's prices.
  ///
  /// - Parameters:
  ///   - usage: One row's usage, or the sum of several rows with this record.
  ///   - rows: The number of rows in the sum.
  /// - Throws: `PricingError.malformedRecord`, or `PricingError.recordOfOtherUsage` if the record
  ///   divides a different usage.
  public init(record: String, of usage: Usage, rows: Int64 = 1) throws(PricingError) {
    let markup = Bill.markup(ofRecord: record)
    if markup != .none {
      let prices = record.drop { $0 != "\n" }.dropFirst()
      self.init(try Bill(record: String(prices), of: usage, rows: rows), markup: markup)
      return
    }
    guard record.hasPrefix("\(Bill.heading)\n") else {
      self.init(usage, by: try Tariff(record: record))
      return
    }
    var items: [Item] = []
    var part: Usage?
    var prices: [Substring] = []
    func endItem() throws(PricingError) {
      guard let part else { return }
      let record = prices.map { "\($0)\n" }.joined()
      items.append(Item(part, by: try Tariff(record: record)))
      prices = []
    }
    for (index, line) in record.split(separator: "\n").enumerated().dropFirst() {
      let words = line.split(separator: " ")
      if words.first == Bill.itemKey[...] {
        try endItem()
        guard let usage = Bill.usage(words.dropFirst(), rows) else {
          throw .malformedRecord(line: index + 1)
        }
        part = usage
      } else {
        prices.append(line)
      }
    }
    try endItem()
    guard let bill = Bill(items) else { throw .malformedRecord(line: 1) }
    guard bill.usage == usage else { throw .recordOfOtherUsage }
    self = bill
  }

  private init(_ bill: Bill, markup: Markup) {
    items = bill.items
    usage = bill.usage
    self.markup = markup
  }

  /// Returns the markup in a bill's record; `.none` if it has none.
  public static func markup(ofRecord record: String) -> Markup {
    guard record.hasPrefix(markupHeading), let line = record.split(separator: "\n").first else {
      return .none
    }
    return Markup(String(line.dropFirst(markupHeading.count))) ?? .none
  }

  /// Parses `input=10 output=3`, the usage of one row, and returns that of this number of rows.
  private static func usage(_ words: ArraySlice<Substring>, _ rows: Int64) -> Usage? {
    var counts = Usage.zero.counts
    for word in words {
      let sides = word.split(separator: "=")
      guard sides.count == 2, let index = Usage.countNames.firstIndex(of: String(sides[0])),
        let count = Int64(sides[1])
      else { return nil }
      counts[index] = count.multipliedClamped(by: rows)
    }
    return Usage(counts: counts)
  }
}
