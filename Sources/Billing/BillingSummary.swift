public import Ledger
public import Money
internal import Pricing
public import Time

/// A client's use and charges in one period, in the smallest unit of its currency.
public struct BillingSummary: Hashable, Sendable {
  /// The month in which the period begins: `2026-11`.
  public let period: String
  public let totalTokens: Int64
  /// The current tier, for example `8M-16M`; nil for a plan without a price.
  public let currentTier: String?
  public let fixedFeeCharged: Int64
  public let tierChargesCount: Int64
  public let tierChargesTotal: Int64
  public let currency: Currency

  public var totalCharged: Int64 { fixedFeeCharged.addingSaturated(tierChargesTotal) }

  /// Reads the summary of a month.
  ///
  /// - Parameter currency: The currency for a client that wasn't billed for the month.
  /// - Throws: `LedgerError` if the ledger can't be read.
  public init(
    ofClient clientID: String, in month: BillingMonth, currency: Currency, _ reader: LedgerReader
  ) throws(LedgerError) {
    if let statement = try reader.billingStatement(of: clientID, period: "\(month)") {
      self.init(statement)
      return
    }
    let days = try reader.dailyUsage(
      ofClient: clientID, from: month.firstDay, through: month.endDay.adding(days: -1))
    self.init(
      period: "\(month)", totalTokens: days.reduce(0) { $0.addingSaturated($1.totalTokens) },
      currentTier: nil, currency: currency, charges: [])
  }

  public init(_ statement: BillingStatement) {
    let billing = statement.period.billing
    let currency = billing.currency
    self.init(
      period: statement.period.name, totalTokens: statement.tokensTotal,
      currentTier: "\(billing.tier(at: statement.used))", currency: currency,
      // Charges in another currency, under an earlier plan, can't be added.
      charges: statement.charges.filter { $0.currency == currency })
  }

  private init(
    period: String, totalTokens: Int64, currentTier: String?, currency: Currency,
    charges: [BillingCharge]
  ) {
    self.period = period
    self.totalTokens = totalTokens
    self.currentTier = currentTier
    self.currency = currency
    let tierCharges = charges.filter { $0.block > 0 }
    fixedFeeCharged = charges.first { $0.block == 0 }?.amount ?? 0
    tierChargesCount = Int64(tierCharges.count)
    tierChargesTotal = tierCharges.reduce(0) { $0.addingSaturated($1.amount) }
  }
}

/// The name of a billing period: the month in which it begins, for example `2026-11`.
public struct BillingMonth: Hashable, Sendable, LosslessStringConvertible {
  /// The first day of the month.
  public let firstDay: CivilDate

  public static let rule = "a month such as 2026-11"

  public init?(_ text: String) {
    guard let day = CivilDate("\(text)-01") else { return nil }
    firstDay = day
  }

  /// Creates the month that contains a day.
  public init(containing day: CivilDate) {
    firstDay = day.adding(days: 1 - day.day)
  }

  /// The day after the last one of the month.
  public var endDay: CivilDate { firstDay.adding(months: 1) }

  public var description: String { String(firstDay.description.prefix(7)) }
}
