internal import Ledger

/// `catraca replica list`.
enum ReplicaList {
  static let command = Command(
    "replica list", "lists the servers that share the ledger, and the reserves of those gone",
    options: [CommonOptions.config, CommonOptions.ledger, CommonOptions.format]
  ) { invocation throws(CommandError) in
    let reader = try invocation.reader()
    var table = Table(
      [
        Table.Column("spool", "Spool"), Table.Column("name", "Server"),
        Table.Column("silent_ms", "Silent for ms"),
        Table.Column("reserved_budgets", "Budgets in reserve"),
      ], emptyText: "No server shares this ledger.")
    for replica in try invocation.ledger({ () throws(LedgerError) in try reader.replicas() }) {
      table.append([
        .optional(replica.spool), .text(replica.name),
        .optional(replica.silentMilliseconds), .integer(replica.reservedAccounts),
      ])
    }
    return CommandOutcome(.list(table))
  }
}

/// `catraca replica forget SPOOL`.
enum ReplicaForget {
  private static let spool = Parameter(
    "spool", ArgumentFormat<String>.text("SPOOL"), "as `replica list` names it", isRequired: true)

  static let command = Command(
    "replica forget",
    "gives the reserve back of a server that will never be back, nor its working directory",
    arguments: [spool],
    options: [CommonOptions.config, CommonOptions.ledger],
    examples: [
      Command.Example(
        line: "replica forget web-3:5f2ac01b77e98d40",
        meaning: "what it had kept of budgets for the time offline is everybody's again")
    ]
  ) { invocation throws(CommandError) in
    let spool = try invocation.values.required(spool)
    let editor = try invocation.editor()
    try invocation.ledger { () throws(LedgerError) in
      try editor.forgetReserve(ofSpool: spool)
    }
    return CommandOutcome(.line("the reserve of \(spool) is given back"))
  }
}
