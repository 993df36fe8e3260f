internal import Ledger

/// `catraca object forget ID`.
enum ObjectForget {
  static let command = Command(
    "object forget", "removes an object from the record: no client owns it any more",
    arguments: [ObjectOptions.id],
    options: [ObjectOptions.provider, CommonOptions.config, CommonOptions.ledger],
    examples: [
      Command.Example(
        line: "object forget --provider openai file-abc123",
        meaning: "clients are answered as if there were no such object; the provider keeps it")
    ]
  ) { invocation throws(CommandError) in
    let id = try invocation.values.required(ObjectOptions.id)
    // The provider may not be in the configuration any more.
    let provider = try invocation.values.required(ObjectOptions.provider)
    _ = try invocation.settings()
    let editor = try invocation.editor()
    try invocation.ledger { () throws(LedgerError) in _ = try editor.forget(id, of: provider) }
    return Outcome(.line("object \(id) of \(provider) is nobody's now"))
  }
}
