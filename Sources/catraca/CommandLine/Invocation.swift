internal import Configuration
internal import Ledger
internal import Server

/// One run of a command: its arguments, and its surroundings.
struct Invocation: Sendable {
  let values: ArgumentValues
  let surroundings: Surroundings

  /// The settings of the folder of `--config`. Secrets may be missing, since no command needs them.
  func settings() throws(CommandError) -> Settings {
    try load().settings
  }

  /// The settings with their warnings, or every mistake.
  func load(
    missingSecrets: MissingSecrets = .tolerated
  ) throws(CommandError) -> LoadedConfiguration {
    let loader = ConfigurationLoader(
      folder: try values.required(CommonOptions.config), files: surroundings.files,
      environment: surroundings.environment, missingSecrets: missingSecrets)
    do {
      return try loader.load()
    } catch {
      switch error {
      case .mistakes(let mistakes): throw .configuration(mistakes)
      }
    }
  }

  /// The ledger of `--ledger`, else the configuration's.
  func ledgerLocation() throws(CommandError) -> LedgerLocation {
    if let given = values[CommonOptions.ledger] { return LedgerLocation(given) }
    return LedgerLocation(try settings().ledger.location)
  }

  /// Opens the ledger to read from it.
  func reader() throws(CommandError) -> LedgerReader {
    try reader(at: try ledgerLocation())
  }

  func reader(at location: LedgerLocation) throws(CommandError) -> LedgerReader {
    guard let reader = try readerIfPresent(at: location) else { throw .noLedger(at: location) }
    return reader
  }

  /// Opens the ledger to read from it; nil if no server and no command has made one.
  func readerIfPresent() throws(CommandError) -> LedgerReader? {
    try readerIfPresent(at: try ledgerLocation())
  }

  private func readerIfPresent(at location: LedgerLocation) throws(CommandError) -> LedgerReader? {
    guard Invocation.isThere(location) else { return nil }
    return try ledger { () throws(LedgerError) in try LedgerReader(at: location) }
  }

  /// Opens the ledger to change it, and makes it if it is missing.
  func editor() throws(CommandError) -> LedgerEditor {
    let location = try ledgerLocation()
    let author = LedgerEditor.Author(actor: surroundings.actor, now: surroundings.now())
    return try ledger { () throws(LedgerError) in
      try LedgerEditor(at: location, author: author)
    }
  }

  /// Opens the ledger of a server to change it.
  ///
  /// - Throws: `CommandError` if there is no ledger, for example in a folder that isn't the
  ///   server's.
  func editorOfServer() throws(CommandError) -> LedgerEditor {
    let location = try ledgerLocation()
    guard Invocation.isThere(location) else { throw .noLedger(at: location) }
    return try editor()
  }

  /// Whether a server or a command has made the ledger; a database counts as made.
  private static func isThere(_ location: LedgerLocation) -> Bool {
    if case .sqlite(let path) = location { PathAccess.isThere(path) } else { true }
  }

  /// Runs `body`, which reads or writes the ledger, and turns its errors into the command's.
  func ledger<Answer>(
    _ body: () throws(LedgerError) -> Answer
  ) throws(CommandError) -> Answer {
    do {
      return try body()
    } catch {
      throw .ledger(error)
    }
  }
}

extension CommandError {
  fileprivate static func noLedger(at location: LedgerLocation) -> CommandError {
    .failed(
      "\(location): there is no ledger yet; allowed: a file that the server has "
        + "made, named by ledger.url or --ledger sqlite:PATH")
  }
}

/// Options that several commands share, with the same meaning in each.
enum CommonOptions {
  static let config = Parameter(
    "config", ArgumentFormat<String>.path("DIR"), "the folder with catraca.yaml",
    default: "config")
  static let ledger = Parameter(
    "ledger", ArgumentFormat<LedgerSettings.Location>.ledgerLocation,
    "the ledger, instead of the configuration's")
  static let format = Parameter(
    "format", ArgumentFormat<OutputFormat>.choice("FORMAT"), "table, json or csv",
    default: "table")
  static let client = Parameter(
    "client", ArgumentFormat<String>.name("C"), "only this client's")
  static let limit = Parameter(
    "limit", ArgumentFormat<Int64>.integer(1...10_000), "how many lines at most", default: "1000")
}
