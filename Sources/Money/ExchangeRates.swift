/// What one US dollar costs in other currencies, and the currency in which requests are billed.
public struct ExchangeRates: Hashable, Sendable {
  /// The currency of `usage_logs.cost_nano`.
  public let billing: Currency
  /// What one dollar costs in it.
  public let billingRate: FixedDecimal
  private let perDollar: [Currency: FixedDecimal]

  /// Everything in dollars.
  public static let usdOnly = ExchangeRates()

  private init() {
    billing = .usd
    billingRate = .one
    perDollar = [.usd: .one]
  }

  /// Throws where the billing currency has no rate, a rate is nought, or a dollar isn't a dollar.
  public init(
    billing: Currency, perDollar given: [Currency: FixedDecimal]
  ) throws(MoneyError) {
    let invalid = given.filter { currency, rate in
      rate == .zero || (currency == .usd && rate != .one)
    }
    if let currency = invalid.keys.min() { throw .invalidRate(currency) }
    var rates = given
    rates[.usd] = .one
    guard let billingRate = rates[billing] else { throw .missingRate(billing) }
    self.billing = billing
    self.billingRate = billingRate
    perDollar = rates
  }

  /// What one dollar costs in `currency`; nil where no rate is given.
  public func rate(of currency: Currency) -> FixedDecimal? {
    perDollar[currency]
  }

  /// Every currency that has a rate, the dollar among them, by its code.
  public var currencies: [Currency] { perDollar.keys.sorted() }
}
