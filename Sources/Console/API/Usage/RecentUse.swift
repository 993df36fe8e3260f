internal import Budgets
internal import Configuration
internal import Ledger
internal import Money
internal import Pricing
internal import Time

/// What an account of a budget counted from an instant until now.
struct RecentUse: Equatable {
  let since: Timestamp
  let tokens: Int64
  /// Of the budget's currency.
  let nanoUnits: Int64

  /// Today and the days before.
  private static let days = 7

  init(since: Timestamp, tokens: Int64, nanoUnits: Int64) {
    self.since = since
    self.tokens = tokens
    self.nanoUnits = nanoUnits
  }

  /// Of the last seven days, or of the period so far where that began later.
  ///
  /// A budget that was made within the period counts since then; what its subject used before says
  /// where its use leads all the same, and far better than the first minutes.
  init(
    _ status: AccountStatus, _ reader: LedgerReader, _ settings: Settings, at now: Timestamp
  ) throws(LedgerError) {
    let zone = status.definition.timeZone
    let first = zone.civilDate(of: now).adding(days: 1 - RecentUse.days)
    let period = BudgetWindow(of: status.definition.period, containing: now, in: zone)
    let start = max(zone.startOfDay(first), period.start)
    let isUnused = status.settledTokens == 0 && status.settledCost.nanoUnits == 0
    guard start != status.window.start, !isUnused else {
      self.init(
        since: status.window.start, tokens: status.settledTokens,
        nanoUnits: status.settledCost.nanoUnits)
      return
    }
    var totals: [UsageTotal] = []
    for conditions in RecentUse.conditions(status, settings) {
      totals += try reader.usageTotals(
        of: UsageQuery(by: .operation, where: conditions, since: start, zone: zone))
    }
    // Within 64 bits, since the product with the rate must fit into 128.
    let nanoUSD = Int64(clamping: totals.reduce(Int128(0)) { $0 + Int128($1.costNanoUSD) })
    let rate = settings.rates.rate(of: status.settledCost.currency) ?? .one
    self.init(
      since: start,
      tokens: Int64(clamping: totals.reduce(Int128(0)) { $0 + Int128($1.totalTokens) }),
      nanoUnits: Int64(
        clamping: Int128(nanoUSD) * Int128(rate.scaled) / Int128(FixedDecimal.one.scaled)))
  }

  /// What each row that the account counts has in common with one of these.
  private static func conditions(
    _ status: AccountStatus, _ settings: Settings
  ) -> [[UsageColumn: String]] {
    let id = status.definition.id
    var conditions: [UsageColumn: String] = [:]
    var value = status.subject.value
    if id.client != BudgetID.everything {
      conditions[.client] = id.client
    } else if let slash = value.firstIndex(of: "/"), status.subject.kind != .model {
      // Where a budget is for everything, the client stands before what only means something there.
      conditions[.client] = String(value[..<slash])
      value = String(value[value.index(after: slash)...])
    }
    switch status.subject.kind {
    case .client: return [conditions]
    case .user: return [conditions.merging([.user: value]) { $1 }]
    case .key: return [conditions.merging([.key: value]) { $1 }]
    case .conversation: return [conditions.merging([.conversation: value]) { $1 }]
    case .model:
      let aliases = settings.prices.flatMap(\.models).first { $0.name == value }?.aliases ?? []
      return Set([value] + aliases).map { name in conditions.merging([.model: name]) { $1 } }
    }
  }
}
