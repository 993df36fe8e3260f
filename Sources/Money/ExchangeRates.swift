/// The price of one US dollar in other currencies, and the currency in which requests are billed.
public struct ExchangeRates: Hashable, Sendable {
  /// The currency of `usage_logs.cost_nano`.
  public let billing: Currency
  /// The price of one dollar in `billing`.
  public let billingRate: FixedDecimal
  private let perDollar: [Currency: FixedDecimal]

  /// Dollars only.
  public static let usdOnly = ExchangeRates()

  private init() {
    billing = .usd
    billingRate = .one
    perDollar = [.usd: .one]
  }

  /// Checks the rates and adds the dollar's.
  ///
  /// - Throws: `missingRate` if the billing currency has no rate; `invalidRate` if a rate is zero,
  ///   or if the dollar's isn't 1.
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

  /// The price of one dollar in `currency`; nil if it has no rate.
  public func rate(of currency: Currency) -> FixedDecimal? {
    perDollar[currency]
  }

  /// All currencies with a rate, including the dollar, ordered by code.
  public var currencies: [Currency] { perDollar.keys.sorted() }
}
