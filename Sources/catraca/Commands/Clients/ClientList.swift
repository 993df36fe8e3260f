internal import Configuration
internal import Ledger

/// `catraca client list`.
enum ClientList {
  static let command = Command(
    "client list", "lists the clients, declared in files or made otherwise",
    options: ClientOptions.common
  ) { invocation throws(CommandError) in
    let directory = try ClientDirectory(invocation)
    let stored = Dictionary(uniqueKeysWithValues: directory.stored.clients.map { ($0.id, $0) })
    var table = Table(ClientFields.columns, emptyText: "There are no clients.")
    for client in directory.registry.clients.sorted(by: { $0.id < $1.id }) {
      table.append(ClientFields.row(client, stored[client.id]))
    }
    return CommandOutcome(.list(table))
  }
}
