import Money
public import Time

/// The circumstances of a model's use that change its prices.
public struct PricingContext: Sendable {
  /// The time of the request's admission.
  public var instant: Timestamp
  /// The service tier; nil if none is named. For a bound, the tier that the request names. For a
  /// charge, the tier that the answer names, or else the request's.
  public var tier: String?
  /// The time in which a background response must be complete, if it is longer than the provider
  /// needs; nil otherwise. The answer doesn't repeat it, so it is the request's.
  public var completionWindow: String?
  /// The variant of the images; nil for the variant with the highest price.
  public var image: ImageVariant?
  /// The names of the surcharges that apply to calls. Each call is charged the highest of them. If
  /// the list is empty, the model's highest surcharge applies; if none has a price, calls cost
  /// nothing.
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

extension Tariff {
  /// Returns this tariff with the prices that only the context determines: those of its images and
  /// calls.
  func refined(by context: PricingContext, calls: CallPrices) -> Tariff {
    if context.image == nil, context.calls.isEmpty { return self }
    var refined = terms
    if let variant = context.image, let price = prices.images[variant] {
      refined.prices[.image] = price
    }
    if !context.calls.isEmpty {
      refined.prices[.call] = calls.price(of: context.calls)
    }
    return Tariff(refined, book: book?.refined(by: context, calls: calls.ofBook))
  }

  /// Returns this tariff with the client's own prices for the quantities that they state.
  func overridden(by override: PriceOverride) -> Tariff {
    var overridden = terms
    let own =
      origin.completionWindow.map { override.prices.prices(inWindow: $0) }
      ?? override.prices.table
    overridden.prices = prices.overridden(by: own)
    overridden.origin.overrideLabel = override.label
    return Tariff(overridden, book: book ?? self)
  }
}
