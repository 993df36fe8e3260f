internal import Configuration
internal import Ledger
internal import Objects

/// `catraca object list`.
enum ObjectList {
  private static let client = Parameter(
    "client", ArgumentFormat<ProviderObject.Owner>.owner,
    "only this client's; * for what all clients share")
  private static let provider = Parameter(
    "provider", ArgumentFormat<String>.name("P"), "only what this provider keeps")
  private static let kind = Parameter(
    "kind", ArgumentFormat<ObjectKind>.choice("KIND"), "only objects of this kind")
  private static let object = Parameter(
    "object", ArgumentFormat<String>.objectID, "only the object with this id")

  static let command = Command(
    "object list", "lists the objects that providers keep, and the clients that own them",
    options: [client, provider, kind, object, CommonOptions.limit] + ObjectOptions.common,
    examples: [
      Command.Example(
        line: "object list --client acme --kind file",
        meaning: "deleted ones too, for 30 days after they were deleted")
    ]
  ) { invocation throws(CommandError) in
    let values = invocation.values
    let providers = try invocation.settings().providers
    let filter = ObjectFilter(
      owner: values[client], provider: values[provider], kind: values[kind],
      objectID: values[object])
    let limit = Int(try values.required(CommonOptions.limit))
    let reader = try invocation.reader()
    let objects = try invocation.ledger { () throws(LedgerError) in
      try reader.objects(filter, limit: limit + 1)
    }
    // A provider may have left the configuration, and its objects not.
    if let name = filter.provider, objects.isEmpty,
      !providers.contains(where: { $0.name == name })
    {
      throw ObjectOptions.noProvider(name, among: providers)
    }
    var table = Table(ObjectOptions.columns, emptyText: "No object is recorded.")
    for object in objects.prefix(limit) { table.append(ObjectOptions.row(object)) }
    let notes = objects.count > limit ? ["object list: there are more; see --limit"] : []
    return CommandOutcome(.list(table), notes: notes)
  }
}
