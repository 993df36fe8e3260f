internal import Money

/// What calls billed outside tokens cost, each, by the names of their surcharges.
struct CallPrices: Sendable {
  private let surcharges: [String: FixedDecimal]
  /// A client's own price, which is that of every call.
  private var own: FixedDecimal?

  init(_ surcharges: [String: FixedDecimal]) {
    self.surcharges = surcharges
  }

  /// That of calls whose kind isn't known; nil where none has a price.
  var highest: FixedDecimal? { own ?? surcharges.values.max() }

  /// The highest of those named; nil where none has a price.
  func price(of names: [String]) -> FixedDecimal? {
    own ?? names.compactMap { surcharges[$0] }.max()
  }

  /// The book's, without a client's own.
  var ofBook: CallPrices { CallPrices(surcharges) }

  func overridden(by override: PriceOverride) -> CallPrices {
    var prices = self
    prices.own = override.prices[.call]
    return prices
  }
}
