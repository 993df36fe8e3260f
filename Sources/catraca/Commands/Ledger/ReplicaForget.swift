internal import Ledger

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
