internal import Configuration
internal import Ledger

/// `catraca key rotate`.
enum KeyRotate {
  private static let overlap = Parameter(
    "overlap-seconds", ArgumentFormat<Int64>.integer(0...2_592_000),
    "how long the old one works on", default: "86400")

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
