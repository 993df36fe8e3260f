internal import Budgets
internal import Configuration
internal import Ledger
internal import Money
internal import Pricing
internal import Time

/// The recent use of a budget's account.
struct RecentUse: Equatable {
  let since: Timestamp
  let tokens: Int64
  /// The cost, in nano-units of the budget's currency.
  let nanoUnits: Int64

  /// How many days are recent, today included.
  private static let days = 7

  init(since: Timestamp, tokens: Int64, nanoUnits: Int64) {
    self.since = since
    self.tokens = tokens
    self.nanoUnits = nanoUnits
  }

  /// The use of the last seven days, or since the start of the period if that is later.
  ///
  /// The use before the budget's creation counts too. Example: a budget that was made ten minutes
  /// ago forecasts from the week before, not from ten minutes.
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
    // Clamped to 64 bits, since the product with the exchange rate must fit into 128.
    let nanoUSD = Int64(clamping: totals.reduce(Int128(0)) { $0 + Int128($1.costNanoUSD) })
    let rate = settings.rates.rate(of: status.settledCost.currency) ?? .one
    self.init(
      since: start,
      tokens: Int64(clamping: totals.reduce(Int128(0)) { $0 + Int128($1.totalTokens) }),
      nanoUnits: Int64(
        clamping: Int128(nanoUSD) * Int128(rate.scaled) / Int128(FixedDecimal.one.scaled)))
  }

  /// Conditions on rows. The account counts the rows that meet one of them.
  private static func conditions(
    _ status: AccountStatus, _ settings: Settings
  ) -> [[UsageColumn: String]] {
    let id = status.definition.id
    var conditions: [UsageColumn: String] = [:]
    var value = status.subject.value
    if id.client != BudgetID.everything {
      conditions[.client] = id.client
    } else if let slash = value.firstIndex(of: "/"), status.subject.kind != .model {
      // In a budget over all clients, a subject's value begins with its client: `acme/u1`.
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
