import Money

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
