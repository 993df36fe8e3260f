/// A command of the program: its parameters, its help, and its work.
struct Command: Sendable {
  /// One word, or two where commands belong together: `check`, `key create`.
  let name: String
  /// One line for the list of commands.
  let summary: String
  /// The arguments, which have no names, in their order. Optional ones come last.
  let arguments: [any ParameterDescription]
  let options: [any ParameterDescription]
  let examples: [Example]
  let run: @Sendable (Invocation) async throws(CommandError) -> CommandOutcome

  /// A line to type, and its effect.
  struct Example: Sendable {
    let line: String
    let meaning: String
  }

  init(
    _ name: String, _ summary: String, arguments: [any ParameterDescription] = [],
    options: [any ParameterDescription] = [], examples: [Example] = [],
    run: @escaping @Sendable (Invocation) async throws(CommandError) -> CommandOutcome
  ) {
    self.name = name
    self.summary = summary
    self.arguments = arguments
    self.options = options
    self.examples = examples
    self.run = run
  }

  var words: [String] { name.split(separator: " ").map { String($0) } }
}

/// The result of a command.
struct CommandOutcome: Sendable {
  let report: Report
  /// Lines for standard error.
  let notes: [String]
  let exitCode: ExitCode

  init(_ report: Report, notes: [String] = [], exitCode: ExitCode = .well) {
    self.report = report
    self.notes = notes
    self.exitCode = exitCode
  }
}
