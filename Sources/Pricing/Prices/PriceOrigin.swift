public import Money
public import Time

/// Where the prices of a tariff come from.
public struct PriceOrigin: Hashable, Sendable {
  /// The pricing file as the configuration names it.
  public var file: String
  public var asOf: CivilDate
  public var provider: String
  public var model: String
  /// Nil for the base tier, and for one that the book doesn't know.
  public var tier: String?
  /// Of a response in the background that had its time.
  public var completionWindow: String?
  /// The answer named a tier without a price, so that the highest of all tiers are taken.
  public var isTierAssumed = false
  /// The length step in force: the request has more input tokens than this.
  public var aboveInputTokens: Int64?
  /// What the file's prices of tokens are multiplied by in the tariff.
  public var priceFactor = PriceFactor.one
  /// The version of the client's own prices among them.
  public var overrideLabel: String?
}
