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

  /// The fields that aren't null, and those that a budget in BRL has.
  private static let fields: AnswerFields<NoBudgetJSON> = [
    .field("subject") { "\(Subject(kind: .client, value: $0.client.id))" },
    .field("currency", \.cost.currency), .field("alerts") { _ in [Int]() },
    .field("current_tokens", \.tokens), .field("held_tokens") { _ in 0 },
    .field("current_cost", \.cost),
    .field("held_cost") { Money(nanoUnits: 0, currency: $0.cost.currency) },
    .field("limit_brl") { _ in String?.none }.shown(\.hasBRL),
    .field("current_brl", \.cost).shown(\.hasBRL),
    .field("percentage_used") { _ in Permille(0) },
    .field("state") { _ in AccountStatus.Level.ok.rawValue },
    .field("is_paused") { $0.pauseReason != nil }, .field("pause_reason", \.pauseReason),
    .field("period_start") { $0.client.timeZone.rfc3339($0.month.start) },
  ]

  private var hasBRL: Bool { cost.currency == .brl }

  /// Writes the members that a budget has in the same answer.
  func writeMembers(to object: inout JSONWriter) {
    NoBudgetJSON.fields.writeMembers(of: self, asIn: BudgetStatusCalls.tightest.names, to: &object)
  }
}
