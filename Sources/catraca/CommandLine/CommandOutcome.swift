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
