/// One client's own prices for a model: they replace the book's where they state one, in every
/// tier and at every length.
public struct PriceOverride: Hashable, Sendable {
  /// Its version, such as `acme/1`.
  public let label: String
  public let prices: PriceTable

  /// Throws `invalidName` for a label that is empty or has control characters.
  public init(label: String, prices: PriceTable) throws(PricingError) {
    try checkName(label)
    self.label = label
    self.prices = prices
  }
}
