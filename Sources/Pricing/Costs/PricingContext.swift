public import Time

/// When and how a model is used, as far as that changes its prices.
public struct PricingContext: Sendable {
  /// When the request was admitted.
  public var instant: Timestamp
  /// As the request asks for it where it is bounded; as the answer names it, else as the request
  /// does, where it is charged. Nil where neither does.
  public var tier: String?
  /// Within which time a response in the background is to be complete, where it has more than the
  /// provider needs. An answer doesn't say it, so it is the request's.
  public var completionWindow: String?
  /// Which images are made; nil for those with the highest price.
  public var image: ImageVariant?
  /// The names of the surcharges that apply to calls; the highest of them is charged for each. With
  /// none named it is the highest of the model; calls of which none has a price cost nothing.
  public var calls: [String]

  public init(
    instant: Timestamp, tier: String? = nil, completionWindow: String? = nil,
    image: ImageVariant? = nil, calls: [String] = []
  ) {
    self.instant = instant
    self.tier = tier
    self.completionWindow = completionWindow
    self.image = image
    self.calls = calls
  }
}
