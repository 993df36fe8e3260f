internal import Configuration
internal import Ledger
internal import Objects

/// `catraca object assign ID`.
enum ObjectAssign {
  static let command = Command(
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
    let editor = try invocation.editor()
    let assigned = try invocation.ledger { () throws(LedgerError) in
      try editor.assign([object]).first?.after
    }
    return Outcome(.record(Record(ObjectOptions.columns, ObjectOptions.row(assigned ?? object))))
  }
}
