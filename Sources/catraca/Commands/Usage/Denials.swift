internal import Ledger
internal import Pricing
internal import Time

/// `catraca denials`: what budgets refused, newest first.
enum Denials {
  private static let since = Parameter(
    "since", ArgumentFormat<Duration>.lookback, "how far to look back", default: "24h")

  static let command = Command(
    "denials", "lists the requests that budgets refused, newest first",
    options: [
      since, CommonOptions.client, CommonOptions.limit, CommonOptions.config,
      CommonOptions.ledger, CommonOptions.format,
    ],
    examples: [
      Command.Example(line: "denials --since 1h --client acme", meaning: "acme's of the last hour")
    ]
  ) { invocation throws(CommandError) in
    let values = invocation.values
    let start = invocation.surroundings.now().advanced(by: .zero - (try values.required(since)))
    let limit = try values.required(CommonOptions.limit)
    let reader = try invocation.reader()
    let client = values[CommonOptions.client]
    let denials = try invocation.ledger { () throws(LedgerError) in
      try reader.denialLog(
        where: client.map { [.client: $0] } ?? [:],
        LogRange(since: start, limit: Int(limit) + 1))
    }
    var table = Table(
      [Table.Column("id", nil)] + columns,
      emptyText: "Nothing was refused since \(start.rfc3339).")
    for denial in denials.prefix(Int(limit)) {
      table.append([.integer(denial.id)] + row(denial.content))
    }
    let isCut = denials.count > limit
    return CommandOutcome(
      .list(table), notes: isCut ? ["only the latest \(limit) are shown; --limit shows more"] : [])
  }

  static let columns = [
    Table.Column("created_at", "Time"), Table.Column("request_id", "Request"),
    Table.Column("client_id", "Client"), Table.Column("key_name", "Key"),
    Table.Column("user_id", "User"), Table.Column("operation", nil),
    Table.Column("model", "Model"), Table.Column("budget_id", "Budget"),
    Table.Column("reason", "Reason"), Table.Column("limit_value", "Limit"),
    Table.Column("used", "Used"), Table.Column("held", "Held"),
    Table.Column("requested", "Requested"), Table.Column("reset_at", "Resets"),
  ]

  static func row(_ denial: DenialRow) -> [Cell] {
    [
      .instant(denial.createdAt), .text(denial.requestID.description), .text(denial.clientID),
      .text(denial.keyName), .optional(denial.userID), .text(denial.operation.rawValue),
      .text(denial.model), .optional(denial.budgetID), .text(denial.reason.rawValue),
      amount(denial.limitValue, denial), amount(denial.used, denial), amount(denial.held, denial),
      amount(denial.requested, denial), .instant(denial.resetAt),
    ]
  }

  /// Money where money was the limit, else tokens.
  private static func amount(_ value: Int64, _ denial: DenialRow) -> Cell {
    denial.reason == .costLimit ? .nanoUnits(value) : .integer(value)
  }
}
