import Money

/// Everything that a tariff's costs depend on, and the origin of its prices.
struct TariffTerms: Sendable {
  var origin: PriceOrigin
  var prices: PriceTable
  /// The minimum of billed audio, in seconds.
  var minimumSeconds: Int64
  var rates: ExchangeRates
}
