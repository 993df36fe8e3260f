import Money

extension Tariff {
  /// This tariff, or one with the prices that only the context knows: the client's own, those of
  /// the images it makes, and of the calls that it made.
  func refined(by context: PricingContext, surcharges: [String: FixedDecimal]) -> Tariff {
    if context.override == nil, context.image == nil, context.calls.isEmpty { return self }
    var refined = prices
    var origin = origin
    if let surcharge = context.calls.compactMap({ surcharges[$0] }).max() {
      refined[.call] = surcharge
    }
    if let override = context.override {
      refined = refined.overlaid(by: override.prices)
      origin.overrideLabel = override.label
    }
    if let variant = context.image, let price = refined.images[variant] {
      refined[.image] = price
    }
    return Tariff(origin: origin, prices: refined, minimumSeconds: minimumSeconds, rates: rates)
  }
}
