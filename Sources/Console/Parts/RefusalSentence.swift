internal import Budgets
internal import Configuration
internal import Ledger
internal import Money
internal import Pages

/// Describes why a request was refused.
struct RefusalSentence {
  private let row: DenialRow
  private let reader: Reader
  /// The currency of the figures; nil for tokens.
  let currency: Currency?

  init(_ row: DenialRow, _ pageRequest: PageRequest) {
    self.row = row
    reader = pageRequest.reader
    currency = RefusalSentence.currency(of: row, pageRequest)
  }

  /// The unit isn't recorded. It is the unit of the budget that refused.
  private static func currency(of row: DenialRow, _ pageRequest: PageRequest) -> Currency? {
    guard let id = row.budget, row.reason == .costLimit || row.reason == .budgetContended,
      let definition = pageRequest.call.server.readBudgets({ $0.definition(of: id) })
    else { return row.reason == .costLimit ? pageRequest.call.settings.rates.billing : nil }
    if row.reason == .budgetContended, definition.limit.tokens != nil { return nil }
    return definition.limit.cost?.currency ?? pageRequest.call.settings.rates.billing
  }

  func amount(_ value: Int64) -> String {
    guard let currency else { return reader(.tokenCount(reader.number(value))) }
    return reader.money(Money(nanoUnits: value, currency: currency))
  }

  var text: String {
    let budget = row.budget.map(reader.name) ?? row.budgetID ?? ""
    switch row.reason {
    case .tokenLimit, .costLimit:
      let left = max(0, Int128(row.limitValue) - Int128(row.used) - Int128(row.held))
      return reader(
        .needed(
          budget, amount(row.requested), amount(Int64(clamping: left)), amount(row.limitValue)))
    case .budgetContended: return reader(.contended(budget, amount(row.requested)))
    case .conversationLimit:
      return reader(.conversations(reader.number(row.limitValue)))
    case .paused: return reader(.isPaused(budget))
    }
  }
}

extension DenialRow {
  /// The budget that refused; nil if it wasn't a single budget.
  var budget: BudgetID? {
    let parts = budgetID?.split(separator: "/", maxSplits: 1) ?? []
    return parts.count == 2 ? BudgetID(client: String(parts[0]), name: String(parts[1])) : nil
  }
}

extension Phrase {
  fileprivate static func needed(
    _ budget: String, _ requested: String, _ left: String, _ limit: String
  ) -> Phrase {
    Phrase(
      "\(budget): needed \(requested); \(left) left of \(limit)",
      "\(budget): precisava de \(requested); restavam \(left) de \(limit)")
  }
  fileprivate static func contended(_ budget: String, _ requested: String) -> Phrase {
    Phrase(
      "\(budget): timed out waiting for other requests to release \(requested)",
      "\(budget): o tempo acabou à espera de que outras requisições liberassem \(requested)")
  }
  fileprivate static func conversations(_ limit: String) -> Phrase {
    Phrase(
      "all \(limit) conversations of the plan were in use",
      "todas as \(limit) conversas do plano já estavam em uso")
  }
  fileprivate static func isPaused(_ budget: String) -> Phrase {
    budget.isEmpty
      ? Phrase("the client is suspended", "o cliente está suspenso")
      : Phrase("\(budget) is paused", "\(budget) está pausado")
  }
}
