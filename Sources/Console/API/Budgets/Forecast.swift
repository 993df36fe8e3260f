internal import Budgets
internal import Money
internal import Time

/// Where a budget's use leads if it goes on as it lately has.
struct Forecast: Equatable {
  /// When the limit is used up; nil where it lasts until the period's end.
  let exhaustedAt: Timestamp?
  /// At the period's end; nil for a period that has none.
  let tokens: Int64?
  let nanoUnits: Int64?

  /// Nil without use.
  init?(_ status: AccountStatus, lately recent: RecentUse, at now: Timestamp) {
    self.init(
      window: status.window, now: now, lately: recent,
      tokens: (status.settledTokens, status.limitTokens),
      nanoUnits: (status.settledCost.nanoUnits, status.limitCost?.nanoUnits))
  }

  init?(
    window: BudgetWindow, now: Timestamp, lately recent: RecentUse,
    tokens: (used: Int64, limit: Int64?), nanoUnits: (used: Int64, limit: Int64?)
  ) {
    guard tokens.used > 0 || nanoUnits.used > 0 else { return nil }
    let elapsed = Int128(max(1, now.milliseconds - recent.since.milliseconds))
    let rest = window.end.map { Int128(max(0, $0.milliseconds - now.milliseconds)) }
    func atEnd(_ used: Int64, lately: Int64) -> Int64? {
      rest.map { Int64(clamping: Int128(used) + Int128(lately) * $0 / elapsed) }
    }
    func exhaustion(_ figure: (used: Int64, limit: Int64?), lately: Int64) -> Timestamp? {
      guard let limit = figure.limit else { return nil }
      if figure.used >= limit { return now }
      guard lately > 0 else { return nil }
      let lasts = Int128(limit - figure.used) * elapsed / Int128(lately)
      return Timestamp(milliseconds: Int64(clamping: Int128(now.milliseconds) + lasts))
    }
    self.tokens = atEnd(tokens.used, lately: recent.tokens)
    self.nanoUnits = atEnd(nanoUnits.used, lately: recent.nanoUnits)
    let first = [
      exhaustion(tokens, lately: recent.tokens), exhaustion(nanoUnits, lately: recent.nanoUnits),
    ].compactMap(\.self).min()
    exhaustedAt = first.flatMap { window.hasEnded(at: $0) ? nil : $0 }
  }
}
