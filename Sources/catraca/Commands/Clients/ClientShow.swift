/// `catraca client show ID`.
enum ClientShow {
  static let command = Command(
    "client show", "shows one client", arguments: [ClientOptions.id],
    options: ClientOptions.common
  ) { invocation throws(CommandError) in
    let id = try invocation.values.required(ClientOptions.id)
    return CommandOutcome(.record(try ClientFields.record(id, in: try ClientDirectory(invocation))))
  }
}
