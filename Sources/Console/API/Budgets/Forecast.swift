internal import Budgets
internal import Money
internal import Time

/// A budget's use at the end of its period, if the recent pace continues.
struct Forecast: Equatable {
  /// When the limit is used up; nil if it lasts until the end of the period.
  let exhaustedAt: Timestamp?
  /// The tokens used at the end of the period; nil for a period without an end.
  let tokens: Int64?
  let nanoUnits: Int64?

  /// Nil if there was no recent use.
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
