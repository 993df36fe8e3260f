internal import Budgets
internal import Money
internal import Time

/// Where a budget's use leads if it goes on as it has in its period so far.
struct Forecast: Equatable {
  /// When the limit is used up; nil where it lasts until the period's end.
  let exhaustedAt: Timestamp?
  /// At the period's end; nil for a period that has none.
  let tokens: Int64?
  let nanoUnits: Int64?

  /// Nil without use.
  init?(_ status: AccountStatus, at now: Timestamp) {
    self.init(
      window: status.window, now: now,
      tokens: (status.settledTokens, status.limitTokens),
      nanoUnits: (status.settledCost.nanoUnits, status.limitCost?.nanoUnits))
  }

  init?(
    window: BudgetWindow, now: Timestamp, tokens: (used: Int64, limit: Int64?),
    nanoUnits: (used: Int64, limit: Int64?)
  ) {
    guard tokens.used > 0 || nanoUnits.used > 0 else { return nil }
    let elapsed = max(1, now.milliseconds - window.start.milliseconds)
    let whole = window.end.map { max(elapsed, $0.milliseconds - window.start.milliseconds) }
    func extrapolated(_ used: Int64) -> Int64? {
      whole.map { Int64(clamping: Int128(used) * Int128($0) / Int128(elapsed)) }
    }
    func exhaustion(_ figure: (used: Int64, limit: Int64?)) -> Int64? {
      guard let limit = figure.limit, figure.used > 0 else { return nil }
      if figure.used >= limit { return now.milliseconds }
      let lasts = Int128(limit) * Int128(elapsed) / Int128(figure.used)
      return Int64(clamping: Int128(window.start.milliseconds) + lasts)
    }
    self.tokens = extrapolated(tokens.used)
    self.nanoUnits = extrapolated(nanoUnits.used)
    let first = [exhaustion(tokens), exhaustion(nanoUnits)].compactMap(\.self).min()
    exhaustedAt = first.map { Timestamp(milliseconds: $0) }.flatMap { instant in
      window.hasEnded(at: instant) ? nil : instant
    }
  }
}
