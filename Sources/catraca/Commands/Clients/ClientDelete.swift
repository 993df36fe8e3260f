internal import Ledger

/// `catraca client delete ID`.
enum ClientDelete {
  static let command = Command(
    "client delete", "deletes a client and revokes its keys",
    arguments: [ClientOptions.id], options: [CommonOptions.config, CommonOptions.ledger],
    examples: [
      Command.Example(
        line: "client delete acme", meaning: "what it used stays recorded, and its id stays taken")
    ]
  ) { invocation throws(CommandError) in
    let id = try invocation.values.required(ClientOptions.id)
    try ClientDirectory(invocation).requireStored(id)
    let editor = try invocation.editor()
    try invocation.ledger { () throws(LedgerError) in try editor.deleteClient(id) }
    return CommandOutcome(.line("client \(id) is deleted"))
  }
}
