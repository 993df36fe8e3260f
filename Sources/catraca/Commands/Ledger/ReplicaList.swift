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
