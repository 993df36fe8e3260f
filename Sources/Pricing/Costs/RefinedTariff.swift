import Money

extension Tariff {
  /// This tariff, or one with the prices that only the context knows: those of the images that are
  /// made, and of the calls that were made.
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

  /// This tariff with a client's own prices where they state one.
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
