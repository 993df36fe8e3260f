internal import Budgets
public import Configuration
public import Ledger
public import Money
internal import Pricing
public import Time

/// What a client owes for one period, line by line, with what it was charged for.
public struct Invoice: Sendable {
  /// One charge.
  public struct Line: Sendable {
    public let charge: BillingCharge
    public let description: String
    public let amount: Money
    /// The requests whose use lies in its tier; nil where there are none.
    public let use: TierUse?
  }

  public let client: Client
  /// The plan's name.
  public let plan: String
  /// The month that the period begins in.
  public let period: String
  public let from: CivilDate
  /// The day after the last.
  public let to: CivilDate
  public let lines: [Line]
  /// The sum of the lines, by currency: more than one where the plan changed to another.
  public let totals: [Money]
  /// What was used, by models.
  public let usage: [UsageTotal]
  /// All tokens used.
  public let tokens: Int64
  /// Where the lines are not what the rows make; empty where all is well.
  public let differences: [String]

  /// Nil where the client was not billed for the month. Reads every row of the period.
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

  /// Compares what was charged with what the rows make.
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
      // One of an earlier plan of the period has other tiers.
      let tier = statement.period.billing.tier(ofBlock: line.charge.block)
      if "\(tier)" == line.charge.tier {
        differences.append("block \(line.charge.block) was charged and not begun")
      }
    }
    return differences
  }
}
