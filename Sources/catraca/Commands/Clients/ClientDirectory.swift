internal import Configuration
internal import Ledger
internal import Server
internal import Time

/// Every client with its keys, declared in files or made otherwise.
struct ClientDirectory {
  /// The clients of the files alone.
  let declared: ClientRegistry
  let stored: StoredClients
  /// The clients of files and ledger together, as a server sees them.
  let registry: ClientRegistry

  init(_ invocation: Invocation) throws(CommandError) {
    let declared = try invocation.settings().clients
    let reader = try invocation.readerIfPresent()
    (stored, registry) = try invocation.ledger { () throws(LedgerError) in
      let stored = try reader?.storedClients() ?? StoredClients(clients: [], keys: [])
      return (stored, try declared.adding(stored))
    }
    self.declared = declared
  }

  /// The client with this id.
  ///
  /// - Throws: `CommandError` if there is no such client; its message suggests the nearest id.
  func client(_ id: String) throws(CommandError) -> Client {
    if let client = registry.client(id) { return client }
    let suggestion = likelyMeant(by: id, among: registry.clients.map(\.id))
    throw .failed(
      "there is no client '\(id)'" + (suggestion.map { "; did you mean \($0)?" } ?? ""))
  }

  /// Checks that the ledger has this client.
  ///
  /// - Throws: `CommandError` if a file declares the client, because only the file can change it.
  func requireStored(_ id: String) throws(CommandError) {
    if let line = try client(id).line {
      throw .failed("client \(id) is declared in clients.yaml:\(line); allowed: editing that file")
    }
  }

  /// Checks that no file declares a key of this name for this client.
  ///
  /// - Throws: `CommandError` if a file does.
  func requireNotDeclared(key name: String, of client: Client) throws(CommandError) {
    let key = declared.client(client.id)?.keys.first { $0.name == name }
    if let line = key?.line {
      throw .failed(
        "key \(name) of client \(client.id) is declared in clients.yaml:\(line); "
          + "allowed: editing that file, or another name")
    }
  }
}
