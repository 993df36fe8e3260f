internal import Budgets
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

extension CommandError {
  /// Names the options as their fields: `tokens` for `--tokens`.
  init(_ mistake: FieldMistake) {
    self =
      mistake.kind == .unknown
      ? .failed(mistake.message) : .usage(.contradiction(mistake.message))
  }
}

/// A mistake in a command line.
enum UsageError: Error, Hashable, Sendable {
  case noCommand
  case unknownCommand(String, suggestion: String?)
  /// A word behind `help` that is neither a command nor a topic.
  case unknownTopic(String, suggestion: String?, topics: [String])
  /// The first word of several commands, without the second.
  case incompleteCommand(String, allowed: [String])
  case unknownOption(String, suggestion: String?)
  case missing(Spelling)
  case missingValue(Spelling)
  case unexpectedValue(Spelling)
  case repeated(Spelling)
  case unexpectedArgument(String)
  case invalid(Spelling, value: String, allowed: String)
  /// Two options that can't be given together, or an option without another that it needs.
  case contradiction(String)
}

/// A parameter as the user writes it: `--client C`, `MODEL`.
struct Spelling: Hashable, Sendable, CustomStringConvertible {
  let description: String

  /// An argument is spelt by its value alone.
  init(_ parameter: some ParameterDescription, isArgument: Bool = false) {
    switch (isArgument, parameter.valueName) {
    case (true, let valueName): description = valueName ?? parameter.name
    case (false, let valueName?): description = "--\(parameter.name) \(valueName)"
    case (false, nil): description = "--\(parameter.name)"
    }
  }
}

extension UsageError: CustomStringConvertible {
  /// The message: what is wrong, and what is allowed.
  var description: String {
    switch self {
    case .noCommand:
      "no command is given"
    case .unknownCommand(let word, let suggestion):
      "there is no command '\(word)'\(UsageError.question(suggestion))"
    case .unknownTopic(let word, let suggestion, let topics):
      "there is no command and no topic '\(word)'; topics: \(topics.joined(separator: ", "))"
        + UsageError.question(suggestion)
    case .incompleteCommand(let word, let allowed):
      "'\(word)' needs a second word; allowed: \(allowed.joined(separator: ", "))"
    case .unknownOption(let option, let suggestion):
      "there is no option \(option)\(UsageError.question(suggestion))"
    case .missing(let parameter):
      "\(parameter) is missing"
    case .missingValue(let parameter):
      "\(parameter) needs a value"
    case .unexpectedValue(let parameter):
      "\(parameter) takes no value"
    case .repeated(let parameter):
      "\(parameter) is given twice; allowed: once"
    case .unexpectedArgument(let argument):
      "'\(argument)' is one argument too many"
    case .invalid(let parameter, let value, let allowed):
      "\(parameter): '\(value)' is not valid; allowed: \(allowed)"
    case .contradiction(let message):
      message
    }
  }

  private static func question(_ suggestion: String?) -> String {
    suggestion.map { "; did you mean \($0)?" } ?? ""
  }
}
