internal import Configuration
internal import Glibc
internal import Ledger

/// One run of a command: what it was given, and the machine around it.
struct Invocation: Sendable {
  let values: ArgumentValues
  let surroundings: Surroundings

  /// What the folder of `--config` says. Secrets may be missing, since no command needs them.
  func settings() throws(CommandError) -> Settings {
    try load().settings
  }

  /// The settings, with what is doubtful about them; or every mistake.
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

  /// The SQLite file of `--ledger`, else the configuration's.
  func ledgerPath() throws(CommandError) -> String {
    let location =
      if let given = values[CommonOptions.ledger] { given } else { try settings().ledger.location }
    switch location {
    case .sqlite(let path): return path
    case .postgresql:
      throw .failed("\(location): this build has no PostgreSQL ledger; allowed: sqlite:PATH")
    }
  }

  /// Opens the ledger to read from it.
  func reader() throws(CommandError) -> LedgerReader {
    guard let reader = try readerIfPresent() else {
      throw .failed(
        "\(try ledgerPath()): there is no ledger yet; allowed: a file that the server has made, "
          + "named by ledger.url or --ledger sqlite:PATH")
    }
    return reader
  }

  /// Opens the ledger to read from it; nil where no server and no command has made one.
  func readerIfPresent() throws(CommandError) -> LedgerReader? {
    let path = try ledgerPath()
    guard access(path, F_OK) == 0 else { return nil }
    return try ledger { () throws(LedgerError) in try LedgerReader(path: path) }
  }

  /// Opens the ledger to change it; makes one where there is none.
  func editor() throws(CommandError) -> LedgerEditor {
    let path = try ledgerPath()
    let author = LedgerEditor.Author(actor: surroundings.actor, now: surroundings.now())
    return try ledger { () throws(LedgerError) in
      try LedgerEditor(path: path, author: author)
    }
  }

  /// Runs what reads or writes the ledger.
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
