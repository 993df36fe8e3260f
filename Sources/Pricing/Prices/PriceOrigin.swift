public import Money
public import Time

/// The origin of a tariff's prices.
public struct PriceOrigin: Hashable, Sendable {
  /// The pricing file as the configuration names it.
  public var file: String
  public var asOf: CivilDate
  public var provider: String
  public var model: String
  /// The service tier; nil for the base tier, and for a tier that the book doesn't know.
  public var tier: String?
  /// The completion window of a background response; nil if none applies.
  public var completionWindow: String?
  /// Whether the answer named a tier without a price, so that the highest price of all tiers
  /// applies.
  public var isTierAssumed = false
  /// The length step in force: the request has more input tokens than this; nil for none.
  public var aboveInputTokens: Int64?
  /// The factor on the file's token prices.
  public var priceFactor = PriceFactor.one
  /// The version of the client's own prices; nil if none apply.
  public var overrideLabel: String?
}
