/// One thing that the program can be asked to do: what it takes, what it says about itself, and
/// what it does.
struct Command: Sendable {
  /// One word, or two where commands belong together: `check`, `key create`.
  let name: String
  /// One line for the list of commands.
  let summary: String
  /// What stands without a name, in this order; those that may be left out come last.
  let arguments: [any ParameterDescription]
  let options: [any ParameterDescription]
  let examples: [Example]
  let run: @Sendable (Invocation) async throws(CommandError) -> CommandOutcome

  /// A line to type, and what comes of it.
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

/// What a command came to.
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
