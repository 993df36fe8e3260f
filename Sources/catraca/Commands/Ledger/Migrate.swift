internal import Configuration
internal import Ledger
internal import Server

/// `catraca migrate`: brings a ledger of an earlier release to this one's schema, or copies one
/// into a database of several servers.
enum Migrate {
  private static let target = Parameter(
    "to", ArgumentFormat<LedgerSettings.Location>.ledgerLocation,
    "copies the ledger, a file, into this PostgreSQL database")

  static let command = Command(
    "migrate", "brings the ledger to this release's schema; a start of the server does the same",
    options: [CommonOptions.config, CommonOptions.ledger, target],
    examples: [
      Command.Example(
        line: "migrate --to postgresql://catraca@db.internal/catraca",
        meaning: "copies all of it, and audits the copy; goes on where it was interrupted")
    ]
  ) { invocation throws(CommandError) in
    let location = try invocation.ledgerLocation()
    if let target = invocation.values[target] {
      return try copy(location, to: LedgerLocation(target), invocation)
    }
    let applied = try invocation.ledger { () throws(LedgerError) in
      try ServerLedger.migrate(at: location)
    }
    guard !applied.isEmpty else { return CommandOutcome(.line("\(location): up to date")) }
    let steps = applied.map { String($0) }.joined(separator: ", ")
    return CommandOutcome(.line("\(location): applied \(steps)"))
  }

  private static func copy(
    _ source: LedgerLocation, to target: LedgerLocation, _ invocation: Invocation
  ) throws(CommandError) -> CommandOutcome {
    guard case .sqlite(let path) = source else {
      throw .failed("\(source): only a ledger in a file is copied; allowed: --ledger sqlite:PATH")
    }
    guard case .postgresql = target else {
      throw .failed(
        "--to \(target): a ledger is copied into a database;"
          + " allowed: postgresql://USER@HOST/DATABASE")
    }
    // Opening it would make one.
    _ = try invocation.reader(at: source)
    let outcome = try invocation.ledger { () throws(LedgerError) in
      let transfer = try LedgerTransfer(from: path, to: target)
      var progress = ProgressBar(
        "migrate", total: try transfer.rowCount(), in: invocation.surroundings)
      defer { progress.finish() }
      return try transfer.run { progress.advance() }
    }
    let audit = try AuditCommand.Result(of: try invocation.reader(at: target), invocation)
    let lines = ["\(target): \(text(outcome))"] + audit.lines
    return CommandOutcome(
      .line(lines.joined(separator: "\n")),
      exitCode: audit.differences.isEmpty ? .well : .failed)
  }

  private static func text(_ outcome: LedgerTransfer.Outcome) -> String {
    let rows = Cell.grouped(outcome.rows)
    let all = "\(rows) rows of \(outcome.tables) tables"
    if outcome.copiedRows == outcome.rows { return "copied \(all)" }
    return "has \(all), \(Cell.grouped(outcome.copiedRows)) of them copied now"
  }
}
