internal import Ledger

/// `catraca migrate`: brings a ledger of an earlier release to this one's schema.
enum Migrate {
  static let command = Command(
    "migrate", "brings the ledger to this release's schema; a start of the server does the same",
    options: [CommonOptions.config, CommonOptions.ledger]
  ) { invocation throws(CommandError) in
    let path = try invocation.ledgerPath()
    let applied = try invocation.ledger { () throws(LedgerError) in
      try SQLiteLedger.migrate(path: path)
    }
    guard !applied.isEmpty else { return Outcome(.line("\(path): up to date")) }
    let steps = applied.map { String($0) }.joined(separator: ", ")
    return Outcome(.line("\(path): applied \(steps)"))
  }
}
