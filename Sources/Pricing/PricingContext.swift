public import Time

/// When, how and for whom a model is used, as far as that changes its prices.
public struct PricingContext: Sendable {
  /// When the request was admitted.
  public var instant: Timestamp
  /// As the request asks for it where it is bounded; as the answer names it, else as the request
  /// does, where it is charged. Nil where neither does.
  public var tier: String?
  /// The client's own prices for the model.
  public var override: PriceOverride?
  /// Which images are made; nil for those with the highest price.
  public var image: ImageVariant?
  /// The names of the surcharges that apply to calls; the highest of them is charged for each, and
  /// with none named the highest of the model.
  public var calls: [String]

  public init(
    instant: Timestamp, tier: String? = nil, override: PriceOverride? = nil,
    image: ImageVariant? = nil, calls: [String] = []
  ) {
    self.instant = instant
    self.tier = tier
    self.override = override
    self.image = image
    self.calls = calls
  }
}

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

/// Throws unless `name` can stand on a line of a record.
func checkName(_ name: String) throws(PricingError) {
  let isPlain = name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  guard !name.isEmpty, isPlain else { throw .invalidName(name) }
}
