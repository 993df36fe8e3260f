internal import Ledger

/// What suspending and resuming have in common.
enum ClientStatusChange {
  static func perform(
    _ status: StoredClient.Status, _ invocation: Invocation
  ) throws(CommandError) -> CommandOutcome {
    let id = try invocation.values.required(ClientOptions.id)
    try ClientDirectory(invocation).requireStored(id)
    let editor = try invocation.editor()
    _ = try invocation.ledger { () throws(LedgerError) in
      try editor.setStatus(status, ofClient: id)
    }
    return CommandOutcome(.record(try ClientFields.record(id, in: try ClientDirectory(invocation))))
  }
}
