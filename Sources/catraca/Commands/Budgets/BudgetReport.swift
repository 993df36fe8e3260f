internal import Budgets
internal import Configuration
internal import Console
internal import JSON
internal import Ledger
internal import Money
internal import Server
internal import Time

/// The status of budgets, as in the API. The holds of requests in flight come from their intents in
/// the ledger.
enum BudgetReport {
  /// All budgets, or those of one client, by id as the API lists them.
  static func list(_ invocation: Invocation, ofClient client: String?) throws(CommandError)
    -> Report
  {
    let forms = try forms(invocation) { (client ?? $0.client) == $0.client }
    let table = table(forms)
    return .document(
      Document(sections: [.table(table)], table: table) { writer in
        writer.object { list in
          list.member("data") { data in
            data.array { data in for form in forms { form.write(to: &data) } }
          }
          list.member("has_more", false)
          list.member("next", nil)
        }
      })
  }

  /// One budget, which must be there.
  static func one(_ id: BudgetID, _ invocation: Invocation) throws(CommandError) -> Report {
    let forms = try forms(invocation) { $0 == id }
    guard let form = forms.first else { throw .failed("there is no budget \(id) any more") }
    let table = table(forms)
    return .document(
      Document(sections: [.table(table)], table: table) { form.write(to: &$0) })
  }

  private static func forms(
    _ invocation: Invocation, where isMeant: (BudgetID) -> Bool
  ) throws(CommandError) -> [BudgetJSON] {
    let settings = try invocation.settings()
    let clients = try ClientDirectory(invocation).registry
    let now = invocation.surroundings.now()
    var budgets: BudgetState
    do throws(BudgetError) {
      budgets = try BudgetState(clients.budgets, policy: Server.policy(settings))
    } catch {
      throw .failed("the budgets can't be used: \(error)")
    }
    let reader = try invocation.reader()
    return try invocation.ledger { () throws(LedgerError) in
      _ = try budgets.restore(from: reader, of: clients, settings, at: now)
      for hold in try reader.recordedHolds() { _ = budgets.restore(hold, at: now) }
      let statuses = budgets.definitions.filter { isMeant($0.id) }
        .sorted { $0.id.description < $1.id.description }
        .compactMap { try? budgets.status(of: $0.id, at: now) }
      return try BudgetJSON.forms(statuses, reader, settings, clients, at: now)
    }
  }

  private static func table(_ forms: [BudgetJSON]) -> Table {
    var table = Table(columns, emptyText: "There are no budgets.")
    for form in forms { table.append(cells(form)) }
    return table
  }

  private static let columns = [
    Table.Column("id", "Budget"), Table.Column("client_id", nil), Table.Column("per", nil),
    Table.Column("subject", "Subject"), Table.Column("mode", nil),
    Table.Column("period", "Period"), Table.Column("enforcement", "Enforcement"),
    Table.Column("current_tokens", "Tokens"), Table.Column("limit_tokens", "Limit"),
    Table.Column("held_tokens", "Held"), Table.Column("remaining_tokens", nil),
    Table.Column("current_cost", "Cost"),
    Table.Column("limit_cost", "Limit"), Table.Column("held_cost", "Held"),
    Table.Column("remaining_cost", nil),
    Table.Column("currency", "Currency"), Table.Column("percentage_used", "Used %"),
    Table.Column("state", "State"), Table.Column("pause_reason", "Paused"),
    Table.Column("next_reset_at", "Resets"),
  ]

  private static func cells(_ form: BudgetJSON) -> [Cell] {
    let status = form.status
    let definition = status.definition
    return [
      .text("\(definition.id)"), .text(definition.id.client), .text(definition.per.rawValue),
      .text("\(status.subject)"), .text(definition.limit.mode.rawValue),
      .text(definition.period.description), .text(definition.enforcement.rawValue),
      .integer(status.settledTokens), .optional(status.limitTokens),
      .integer(status.heldTokens), .optional(status.remainingTokens), .money(status.settledCost),
      status.limitCost.map { .money($0) } ?? .none, .money(status.heldCost),
      status.remainingCost.map { .money($0) } ?? .none,
      .text(status.settledCost.currency.code), .tenths(Int64(status.share?.permille ?? 0)),
      .text(status.level.rawValue), .optional(form.pauseReason), .instant(status.window.end),
    ]
  }
}
