/// The result of one check: its state, and the advice for the operator.
struct Finding: Hashable, Sendable {
  enum State: String, Sendable, CaseIterable {
    case ok
    /// It works, but something is better done otherwise.
    case warning
    /// A server doesn't start or doesn't serve like this.
    case problem
  }

  enum CheckCommand: String, Sendable, CaseIterable {
    case configuration, secrets, prices, provider, clock, ledger, disk, log, certificate, listener
    case telemetry
    case openFiles = "open_files"
    case process

    var title: String { self == .openFiles ? "open files" : rawValue }
  }

  let check: CheckCommand
  let state: State
  /// The result in words, beginning with the thing that was checked.
  let text: String
  /// The advice, in one sentence; nil if all is well.
  let advice: String?

  static func ok(_ check: CheckCommand, _ text: String) -> Finding {
    Finding(check: check, state: .ok, text: text, advice: nil)
  }

  static func warning(_ check: CheckCommand, _ text: String, advice: String) -> Finding {
    Finding(check: check, state: .warning, text: text, advice: advice)
  }

  static func problem(_ check: CheckCommand, _ text: String, advice: String) -> Finding {
    Finding(check: check, state: .problem, text: text, advice: advice)
  }
}
