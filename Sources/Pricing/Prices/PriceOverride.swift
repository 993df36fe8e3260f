public import Money

/// The prices that a client has agreed on for a model.
public struct AgreedPrices: Hashable, Sendable {
  /// The prices for every tier, window and length.
  public var table: PriceTable
  /// The prices of background responses by their windows; they take precedence over `table`.
  public var completionWindows: [String: PriceTable]
  /// The prices of container sessions by memory; they take precedence over the price of a call in
  /// `table`.
  public var containers: [String: FixedDecimal]

  public init(
    _ table: PriceTable = PriceTable(), completionWindows: [String: PriceTable] = [:],
    containers: [String: FixedDecimal] = [:]
  ) {
    self.table = table
    self.completionWindows = completionWindows
    self.containers = containers
  }

  public var isEmpty: Bool {
    table.isEmpty && completionWindows.isEmpty && containers.isEmpty
  }

  /// Returns the prices of a completion window; prices that it omits are those of `table`.
  func prices(inWindow name: String) -> PriceTable {
    completionWindows[name].map(table.overridden) ?? table
  }

  /// Returns the price of a container session; nil if none was agreed.
  func price(ofContainer size: String) -> FixedDecimal? {
    containers[size] ?? table[.call]
  }
}

/// One client's own prices for a model. Each replaces the book's price in every tier and at every
/// length.
public struct PriceOverride: Hashable, Sendable {
  /// The version, for example `acme/1`.
  public let label: String
  public let prices: AgreedPrices

  /// Creates an override.
  /// - Throws: `PricingError.invalidName` if the label is empty or has control characters.
  public init(label: String, prices: AgreedPrices) throws(PricingError) {
    try checkName(label)
    self.label = label
    self.prices = prices
  }

  /// Creates an override with the same prices for every window and container.
  /// - Throws: `PricingError.invalidName` if the label is empty or has control characters.
  public init(label: String, prices: PriceTable) throws(PricingError) {
    try self.init(label: label, prices: AgreedPrices(prices))
  }
}
