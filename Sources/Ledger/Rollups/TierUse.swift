internal import Pricing
internal import Time

/// The requests whose use lies in one tier of a period, so that the tier's charge can be traced.
public struct TierUse: Hashable, Sendable {
  public var requests: Int64
  public var first: RequestID
  public var last: RequestID
}

/// The sums of a period's rows.
public struct PeriodUse: Hashable, Sendable {
  public var requests: Int64 = 0
  public var tokens: Int64 = 0
  /// The measured use: tokens, or nano-units of the period's currency.
  public var used: Int64 = 0
  /// The tiers that can be charged, by block; block 0 is the part that the fixed fee includes.
  public var tiers: [Int64: TierUse] = [:]
  /// The number of started blocks, including those that can't be charged.
  public var begunBlocks: Int64 = 0

  /// The number of started blocks that are never charged, because a period has a maximum number of
  /// charges.
  public var uncharged: Int64 { max(0, begunBlocks - Biller.largestBlock) }
}

extension LedgerReader {
  /// Sums up a period from `usage_logs`, in the order in which its rows were charged.
  /// - Throws: `LedgerError` if the database can't be read, or a row can't be understood.
  public func periodUse(_ period: BillingPeriod) throws(LedgerError) -> PeriodUse {
    let select = try connection.prepare(LedgerReader.selectPeriodRows)
    select.bind(period.clientID, period.firstDay.description, period.endDay.description)
    var use = PeriodUse()
    let fields = ColumnReader(statement: select)
    try select.forEachRow { () throws(LedgerError) in
      use.add(try UsageRow(from: fields), billedBy: period.billing)
    }
    return use
  }

  private static let selectPeriodRows = """
    SELECT * FROM usage_logs WHERE client_id = ?1 AND day >= ?2 AND day < ?3 ORDER BY id
    """
}

extension PeriodUse {
  fileprivate mutating func add(_ row: UsageRow, billedBy billing: PlanBilling) {
    let own =
      billing.measure == .tokens
      ? row.usage.totalTokens : row.costNano(in: billing.currency) ?? 0
    let before = used
    requests += 1
    tokens = tokens.addingSaturated(row.usage.totalTokens)
    used = used.addingSaturated(own)
    guard used > before else { return }
    let first = billing.blocks(begunAt: before + 1)
    begunBlocks = billing.blocks(begunAt: used)
    let last = min(begunBlocks, Biller.largestBlock)
    guard first <= last else { return }
    for block in first...last {
      var tier =
        tiers[block] ?? TierUse(requests: 0, first: row.requestID, last: row.requestID)
      tier.requests += 1
      tier.last = row.requestID
      tiers[block] = tier
    }
  }
}
