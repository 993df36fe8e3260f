internal import Ledger

/// `catraca budget status`: how full the budgets are.
enum BudgetStatus {
  static let command = Command(
    "budget status", "shows every budget with what is used of it",
    options: [
      CommonOptions.client, CommonOptions.config, CommonOptions.ledger, CommonOptions.format,
    ],
    examples: [Command.Example(line: "budget status --client acme", meaning: "acme's budgets")]
  ) { invocation throws(CommandError) in
    let reader = try invocation.reader()
    let rows = try invocation.ledger { () throws(LedgerError) in
      try reader.budgetStatus(clientID: invocation.values[CommonOptions.client])
    }
    var table = Table(columns, emptyText: "There are no budgets.")
    for row in rows { table.append(cells(row)) }
    return Outcome(.list(table))
  }

  private static let columns = [
    Table.Column("id", "Budget"), Table.Column("client_id", nil),
    Table.Column("subject", "Subject"), Table.Column("mode", nil),
    Table.Column("period", "Period"), Table.Column("enforcement", "Enforcement"),
    Table.Column("current_tokens", "Tokens"), Table.Column("limit_tokens", "Limit"),
    Table.Column("remaining_tokens", nil), Table.Column("current_cost", "Cost"),
    Table.Column("limit_cost", "Limit"), Table.Column("remaining_cost", nil),
    Table.Column("currency", "Currency"), Table.Column("percentage_used", "Used %"),
    Table.Column("state", "State"), Table.Column("next_reset_at", "Resets"),
  ]

  private static func cells(_ row: BudgetStatusRow) -> [Cell] {
    [
      .text(row.budgetID), .text(row.clientID), .optional(row.subject), .text(row.mode),
      .text(row.period), .text(row.enforcement), .integer(row.currentTokens),
      .optional(row.limitTokens), .optional(row.limitTokens.map { max($0 - row.currentTokens, 0) }),
      money(row.currentCostNano), money(row.limitCostNano),
      money(row.limitCostNano.map { max($0 - row.currentCostNano, 0) }),
      .optional(row.currency), .tenths(row.permilleUsed), .text(state(row.permilleUsed)),
      .instant(row.nextResetAt),
    ]
  }

  private static func money(_ nanoUnits: Int64?) -> Cell {
    nanoUnits.map { .amount(nanoUnits: $0) } ?? .none
  }

  /// By the larger of the two percentages, as the API names it.
  static func state(_ permille: Int64) -> String {
    switch permille {
    case 1000...: "exceeded"
    case 900...: "critical"
    case 800...: "attention"
    default: "ok"
    }
  }
}
