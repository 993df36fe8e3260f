public import Money

/// The prices that a client has agreed on for a model.
public struct AgreedPrices: Hashable, Sendable {
  /// For every tier, window and length.
  public var table: PriceTable
  /// Of responses in the background, by their windows, before those of `table`.
  public var completionWindows: [String: PriceTable]
  /// Of a session of a container, by its memory, before the price of a call in `table`.
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

  /// Those of a completion window: what it leaves out is as in every other.
  func prices(inWindow name: String) -> PriceTable {
    completionWindows[name].map(table.overridden) ?? table
  }

  /// What a session of a container costs; nil where nothing was agreed.
  func price(ofContainer size: String) -> FixedDecimal? {
    containers[size] ?? table[.call]
  }
}

/// One client's own prices for a model: they replace the book's where they state one, in every
/// tier and at every length.
public struct PriceOverride: Hashable, Sendable {
  /// Its version, such as `acme/1`.
  public let label: String
  public let prices: AgreedPrices

  /// Throws `invalidName` for a label that is empty or has control characters.
  public init(label: String, prices: AgreedPrices) throws(PricingError) {
    try checkName(label)
    self.label = label
    self.prices = prices
  }

  /// The same prices whatever the window and the container.
  public init(label: String, prices: PriceTable) throws(PricingError) {
    try self.init(label: label, prices: AgreedPrices(prices))
  }
}
