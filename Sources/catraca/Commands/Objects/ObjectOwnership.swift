internal import Configuration
internal import Ledger
internal import Objects

/// `catraca object assign ID` and `catraca object forget ID`: who owns one object.
enum ObjectOwnership {
  static let assign = Command(
    "object assign", "gives an object at a provider to a client, or shares it with all clients",
    arguments: [ObjectOptions.id],
    options: [ObjectOptions.owner, ObjectOptions.provider, ObjectOptions.kind]
      + ObjectOptions.common,
    examples: [
      Command.Example(
        line: "object assign --client acme --provider openai file-abc123",
        meaning: "from now on, or from a second after with a running server, acme can use it"),
      Command.Example(
        line: "object assign --client '*' --provider openai --kind prompt pmpt_1",
        meaning: "all clients can use it"),
    ]
  ) { invocation throws(CommandError) in
    let values = invocation.values
    let id = try values.required(ObjectOptions.id)
    let object = ProviderObject(
      provider: try ObjectOptions.provider(of: invocation).name, objectID: id,
      kind: try ObjectOptions.kind(of: id, given: values[ObjectOptions.kind]),
      owner: try ObjectOptions.owner(of: invocation), keyName: nil,
      createdAt: invocation.surroundings.now())
    let editor = try invocation.editorOfServer()
    let assigned = try invocation.ledger { () throws(LedgerError) in
      try editor.assign([object]).first?.after
    }
    return CommandOutcome(
      .record(Record(ObjectOptions.columns, ObjectOptions.row(assigned ?? object))))
  }

  static let forget = Command(
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
    let editor = try invocation.editorOfServer()
    try invocation.ledger { () throws(LedgerError) in _ = try editor.forget(id, of: provider) }
    return CommandOutcome(.line("object \(id) of \(provider) is nobody's now"))
  }
}
