internal import Money
internal import Pricing

/// One charge in `usage_logs.budget_accounts`: `ID` if it equals the row's own tokens and cost,
/// `ID:TOKENS:COST_NANO` otherwise.
struct RecordedCharge {
  let account: Int64
  private let explicit: (tokens: Int64, costNano: Int64)?

  /// Returns nil unless the text has one of the two forms.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let figures = parts.compactMap { Int64($0) }
    guard figures.count == parts.count, let account = figures.first else { return nil }
    self.account = account
    switch figures.count {
    case 1: explicit = nil
    case 3: explicit = (figures[1], figures[2])
    default: return nil
    }
  }

  /// Returns the charge of `row` to an account in `currency`.
  func figures(of row: UsageRow, in currency: Currency) -> (tokens: Int64, costNano: Int64) {
    explicit ?? (row.usage.totalTokens, row.costNano(in: currency) ?? 0)
  }
}
