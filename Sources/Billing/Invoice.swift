internal import Budgets
public import Configuration
public import Ledger
public import Money
internal import Pricing
public import Time

/// A client's debt for one period, line by line, with the use that it was charged for.
public struct Invoice: Sendable {
  /// One charge.
  public struct Line: Sendable {
    public let charge: BillingCharge
    public let description: String
    public let amount: Money
    /// The requests whose use lies in the line's tier; nil if there are none.
    public let use: TierUse?
  }

  public let client: Client
  /// The plan's name.
  public let plan: String
  /// The month in which the period begins.
  public let period: String
  public let from: CivilDate
  /// The day after the last one.
  public let to: CivilDate
  public let lines: [Line]
  /// The sum of the lines in each currency. There are several if the plan's currency changed.
  public let totals: [Money]
  /// The use, by model.
  public let usage: [UsageTotal]
  /// All used tokens.
  public let tokens: Int64
  /// The differences between the lines and the rows; empty if they agree.
  public let differences: [String]

  /// Reads an invoice, and with it every row of the period. Returns nil if the client wasn't billed
  /// for the month.
  /// - Throws: `LedgerError` if the ledger can't be read.
  public init?(
    of client: Client, for month: BillingMonth, _ reader: LedgerReader
  ) throws(LedgerError) {
    guard let statement = try reader.billingStatement(of: client.id, period: "\(month)") else {
      return nil
    }
    let period = statement.period
    let use = try reader.periodUse(period)
    let zone = client.timeZone
    usage = try reader.usageTotals(
      of: UsageQuery(
        by: .model, where: [.client: client.id], since: zone.startOfDay(period.firstDay),
        until: zone.startOfDay(period.endDay), zone: zone))
    self.client = client
    plan = period.plan
    self.period = period.name
    from = period.firstDay
    to = period.endDay
    tokens = statement.tokensTotal
    lines = statement.charges.compactMap { charge in
      charge.money.map { amount in
        Line(
          charge: charge, description: Invoice.describe(charge), amount: amount,
          use: use.tiers[charge.block])
      }
    }
    totals = Invoice.sums(lines.map(\.amount))
    differences = Invoice.differences(statement, lines, use)
  }

  private static func describe(_ charge: BillingCharge) -> String {
    charge.block == 0 ? "Fixed fee, includes \(charge.tier)" : "Use in \(charge.tier)"
  }

  private static func sums(_ amounts: [Money]) -> [Money] {
    var sums: [Currency: Int64] = [:]
    for amount in amounts {
      sums[amount.currency, default: 0] = sums[amount.currency, default: 0]
        .addingSaturated(amount.nanoUnits)
    }
    return sums.map { Money(nanoUnits: $1, currency: $0) }.sorted { $0.currency < $1.currency }
  }

  /// Compares the charges with the rows.
  private static func differences(
    _ statement: BillingStatement, _ lines: [Line], _ use: PeriodUse
  ) -> [String] {
    var differences: [String] = []
    if use.tokens != statement.tokensTotal {
      differences.append(
        "the rows have \(use.tokens) tokens, the daily sums \(statement.tokensTotal)")
    }
    if use.uncharged > 0 {
      differences.append(
        "\(use.begunBlocks) blocks were begun, and a period has "
          + "\(use.begunBlocks - use.uncharged) charges at most: the last \(use.uncharged) are not "
          + "charged, give the plan larger blocks")
    }
    if lines.count != statement.charges.count {
      differences.append("a charge is too large to be shown")
    }
    let charged = Set(lines.map(\.charge.block))
    for block in use.tiers.keys.sorted() where block > 0 && !charged.contains(block) {
      differences.append("block \(block) was begun and not charged")
    }
    for line in lines where line.charge.block > 0 && line.use == nil {
      // A charge of an earlier plan in the period has other tiers.
      let tier = statement.period.billing.tier(ofBlock: line.charge.block)
      if "\(tier)" == line.charge.tier {
        differences.append("block \(line.charge.block) was charged and not begun")
      }
    }
    return differences
  }
}
