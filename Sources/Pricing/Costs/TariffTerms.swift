import Money

/// Everything that a tariff's costs depend on, and where it comes from.
struct TariffTerms: Sendable {
  var origin: PriceOrigin
  var prices: PriceTable
  /// The least audio that is billed, in seconds.
  var minimumSeconds: Int64
  var rates: ExchangeRates
}
