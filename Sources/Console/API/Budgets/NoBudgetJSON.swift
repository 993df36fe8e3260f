internal import Budgets
internal import Configuration
internal import JSON
internal import Ledger
internal import Money
internal import Time

/// The fields of a budget for a client that has none. Those of the definition are null; the use is
/// that of the calendar month.
struct NoBudgetJSON {
  let client: Client
  /// Why requests are refused although no budget applies; nil while they pass.
  let pauseReason: String?
  let month: BudgetWindow
  let tokens: Int64
  /// In the billing currency.
  let cost: Money

  /// - Parameter uses: The client's use since the start of the month.
  init(
    of client: Client, pauseReason: String?, uses: [UsageTotal], billing: Currency,
    at now: Timestamp
  ) {
    self.client = client
    self.pauseReason = pauseReason
    month = BudgetWindow(of: .monthly, containing: now, in: client.timeZone)
    tokens = NoBudgetJSON.sum(uses.map(\.totalTokens))
    // Amounts in an earlier billing currency can't be added.
    let billed = uses.map(\.cost).filter { $0.currency == billing }
    cost = Money(nanoUnits: NoBudgetJSON.sum(billed.map(\.nanoUnits)), currency: billing)
  }

  private static func sum(_ amounts: [Int64]) -> Int64 {
    Int64(clamping: amounts.reduce(Int128(0)) { $0 + Int128($1) })
  }

  /// The members of `BudgetJSON` without `client_id`, in the same order.
  func writeMembers(to object: inout JSONWriter) {
    for name in ["id", "name", "source", "per"] { object.member(name, optional: nil) }
    object.member("subject", "\(Subject(kind: .client, value: client.id))")
    object.member("mode", optional: nil)
    object.member("currency", cost.currency.code)
    for name in ["period", "enforcement", "pause_at_limit"] { object.member(name, optional: nil) }
    object.member("alerts") { $0.array { _ in } }
    writeFigures(to: &object)
    object.member("state", AccountStatus.Level.ok.rawValue)
    object.member("is_paused", pauseReason != nil)
    object.member("pause_reason", pauseReason)
    object.member("raised", optional: nil)
    object.member("period_start", client.timeZone.rfc3339(month.start))
    for name in ["next_reset_at", "forecast", "created_at", "updated_at"] {
      object.member(name, optional: nil)
    }
  }

  private func writeFigures(to object: inout JSONWriter) {
    let none = Money(nanoUnits: 0, currency: cost.currency)
    object.member("limit_tokens", optional: nil)
    object.member("current_tokens", tokens)
    object.member("held_tokens", Int64(0))
    object.member("remaining_tokens", optional: nil)
    object.member("token_percentage", optional: nil)
    object.member("limit_cost", optional: nil)
    object.member("current_cost", cost.decimalText)
    object.member("held_cost", none.decimalText)
    object.member("remaining_cost", optional: nil)
    object.member("cost_percentage", optional: nil)
    if cost.currency == .brl {
      object.member("limit_brl", optional: nil)
      object.member("current_brl", cost.decimalText)
    }
    object.member("percentage_used", permille: 0)
  }
}
