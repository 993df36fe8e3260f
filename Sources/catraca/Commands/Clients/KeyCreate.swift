internal import Configuration
internal import Ledger

/// `catraca key create`.
enum KeyCreate {
  static let command = Command(
    "key create", "makes a key for a client and prints it, this once",
    options: [
      KeyOptions.client, KeyOptions.name, KeyOptions.models, KeyOptions.operations,
      KeyOptions.expires, KeyOptions.requestsPerMinute, KeyOptions.tokensPerMinute,
      CommonOptions.config, CommonOptions.ledger, CommonOptions.format,
    ],
    examples: [
      Command.Example(
        line: "key create --client acme --name web --models 'gpt-4o*,llama-3.*'",
        meaning: "the key alone on a line; only its SHA-256 is stored")
    ]
  ) { invocation throws(CommandError) in
    let values = invocation.values
    let now = invocation.surroundings.now()
    let directory = try ClientDirectory(invocation)
    let client = try directory.client(try values.required(KeyOptions.client))
    let name = try values.required(KeyOptions.name)
    try directory.requireNotDeclared(key: name, of: client)
    let expires = values[KeyOptions.expires]?.timestamp(in: client.timeZone)
    if let expires, expires <= now {
      throw .usage(.contradiction("--expires is in the past; allowed: a time to come"))
    }
    let secret = KeySecret(randomBytes: invocation.surroundings.randomBytes)
    let key = StoredKey(
      clientID: client.id, name: name, sha256: secret.sha256,
      models: values[KeyOptions.models]?.map(\.description),
      operations: values[KeyOptions.operations], expiresAt: expires,
      requestsPerMinute: values[KeyOptions.requestsPerMinute],
      tokensPerMinute: values[KeyOptions.tokensPerMinute], createdAt: now)
    let editor = try invocation.editor()
    try invocation.ledger { () throws(LedgerError) in try editor.create(key) }
    return CommandOutcome(KeyFields.report(key, secret, at: now))
  }
}
