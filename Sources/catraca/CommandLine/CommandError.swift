internal import Configuration
internal import Ledger

/// The reason why a command failed.
enum CommandError: Error, Hashable, Sendable {
  /// The command line is wrong; exit status 2.
  case usage(UsageError)
  /// Every mistake in the configuration.
  case configuration([Diagnostic])
  case ledger(LedgerError)
  /// The message: what is wrong, where, and what is allowed.
  case failed(String)
}

extension CommandError {
  var exitCode: ExitCode {
    switch self {
    case .usage: .wrongUsage
    case .configuration, .ledger, .failed: .failed
    }
  }

  /// The lines for standard error. Mistakes in files begin with their place, as editors read
  /// them; everything else with the program's name.
  var lines: [String] {
    switch self {
    case .usage(let error): ["catraca: \(error)"]
    case .configuration(let mistakes): mistakes.map(\.description)
    case .ledger(let error): ["catraca: \(error)"]
    case .failed(let message): ["catraca: \(message)"]
    }
  }
}

/// The exit status of the program.
enum ExitCode: Int32, Sendable {
  case well = 0
  case failed = 1
  case wrongUsage = 2
}
