internal import Configuration
internal import Ledger

/// `catraca key revoke`.
enum KeyRevoke {
  static let command = Command(
    "key revoke", "ends a key at once; its name is free again",
    options: [KeyOptions.client, KeyOptions.name, CommonOptions.config, CommonOptions.ledger]
  ) { invocation throws(CommandError) in
    let directory = try ClientDirectory(invocation)
    let client = try directory.client(try invocation.values.required(KeyOptions.client))
    let name = try invocation.values.required(KeyOptions.name)
    try directory.requireNotDeclared(key: name, of: client)
    let editor = try invocation.editor()
    try invocation.ledger { () throws(LedgerError) in
      try editor.revokeKey(name, ofClient: client.id)
    }
    return CommandOutcome(.line("key \(name) of client \(client.id) is revoked"))
  }
}
