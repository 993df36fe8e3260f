internal import Configuration
internal import Ledger
internal import Pricing
internal import Time

/// Parameters of the commands about keys.
enum KeyOptions {
  static let client = Parameter(
    "client", ArgumentFormat<String>.name("C"), "the client whose key it is", isRequired: true)
  static let name = Parameter(
    "name", ArgumentFormat<String>.name("N"), "the key's name", isRequired: true)
  static let models = Parameter(
    "models", ArgumentFormat<[ModelPattern]>.list(of: .modelPattern),
    "only these models, * for any text; else all")
  static let operations = Parameter(
    "operations", ArgumentFormat<[Operation]>.list(of: .choice("O")),
    "only this kind of work, such as chat,embedding; else all")
  static let expires = Parameter(
    "expires", ArgumentFormat<Moment>.moment,
    "when it stops to work, a date in the client's time zone; else never")
  static let requestsPerMinute = Parameter(
    "requests-per-minute", ArgumentFormat<Int64>.integer(ClientKey.rates),
    "how many requests a minute; else no limit")
  static let tokensPerMinute = Parameter(
    "tokens-per-minute", ArgumentFormat<Int64>.integer(ClientKey.rates),
    "how many tokens a minute; else no limit")
}

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
      throw .usage(.contradiction("--expires is in the past; allowed: a time in the future"))
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

/// `catraca key list`.
enum KeyList {
  static let command = Command(
    "key list", "lists a client's keys, revoked ones included",
    options: [
      KeyOptions.client, CommonOptions.config, CommonOptions.ledger, CommonOptions.format,
    ]
  ) { invocation throws(CommandError) in
    let now = invocation.surroundings.now()
    let directory = try ClientDirectory(invocation)
    let client = try directory.client(try invocation.values.required(KeyOptions.client))
    let reader = try invocation.readerIfPresent()
    let rows = try invocation.ledger { () throws(LedgerError) in
      var rows: [(name: String, cells: [Cell])] = []
      for key in directory.declared.client(client.id)?.keys ?? [] {
        let lastUsed = try reader?.latestUse(
          ofKey: key.name, ofClient: client.id, since: ledgerBegin)
        rows.append((key.name, KeyFields.row(key, of: client.id, lastUsed: lastUsed, at: now)))
      }
      for key in try reader?.storedKeys(ofClient: client.id) ?? [] {
        let lastUsed = try reader?.latestUse(
          ofKey: key.name, ofClient: client.id, since: key.createdAt)
        rows.append((key.name, KeyFields.row(key, lastUsed: lastUsed, at: now)))
      }
      // Those of one name stay as they were: the ledger's come by their age.
      return rows.enumerated().sorted {
        ($0.element.name, $0.offset) < ($1.element.name, $1.offset)
      }.map(\.element.cells)
    }
    var table = Table(KeyFields.columns, emptyText: "Client \(client.id) has no keys.")
    for row in rows { table.append(row) }
    return CommandOutcome(.list(table))
  }

  /// An instant before the first request of any ledger.
  private static let ledgerBegin = Timestamp(milliseconds: 0)
}

/// `catraca key rotate`.
enum KeyRotate {
  private static let overlap = Parameter(
    "overlap-seconds", ArgumentFormat<Int64>.integer(KeySecret.overlaps),
    "how long the old one works on", default: "\(KeySecret.usualOverlapSeconds)")

  static let command = Command(
    "key rotate", "gives a key a new secret and prints it, this once",
    options: [
      KeyOptions.client, KeyOptions.name, overlap, CommonOptions.config, CommonOptions.ledger,
      CommonOptions.format,
    ]
  ) { invocation throws(CommandError) in
    let values = invocation.values
    let directory = try ClientDirectory(invocation)
    let client = try directory.client(try values.required(KeyOptions.client))
    let name = try values.required(KeyOptions.name)
    try directory.requireNotDeclared(key: name, of: client)
    let secret = KeySecret(randomBytes: invocation.surroundings.randomBytes)
    let overlap = Duration.seconds(try values.required(overlap))
    let editor = try invocation.editor()
    let key = try invocation.ledger { () throws(LedgerError) in
      try editor.rotateKey(name, ofClient: client.id, to: secret.sha256, overlap: overlap)
    }
    return CommandOutcome(KeyFields.report(key, secret, at: invocation.surroundings.now()))
  }
}

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
