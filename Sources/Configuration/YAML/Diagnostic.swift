/// A message to the operator about a configuration file.
public struct Diagnostic: Hashable, Comparable, Sendable, CustomStringConvertible {
  public enum Severity: Hashable, Sendable {
    /// The configuration can't be used.
    case mistake
    /// The configuration can be used, but probably not as intended.
    case warning
  }

  public let severity: Severity
  public let position: SourcePosition
  /// The problem, and the allowed values.
  public let message: String

  public init(severity: Severity, position: SourcePosition, message: String) {
    self.severity = severity
    self.position = position
    self.message = message
  }

  /// `file:line:column: message`, with `warning: ` before a warning's message.
  public var description: String {
    switch severity {
    case .mistake: "\(position): \(message)"
    case .warning: "\(position): warning: \(message)"
    }
  }

  public static func < (left: Diagnostic, right: Diagnostic) -> Bool {
    (left.position, left.message) < (right.position, right.message)
  }
}

/// Collects the messages of one load, over all files.
final class DiagnosticCollector {
  /// The most mistakes, and the most warnings, that are kept. An operator corrects no more at once.
  static let capacity = 1000

  private var mistakesFound: [Diagnostic] = []
  private var warningsFound: [Diagnostic] = []

  /// The messages in the order of files, lines and columns.
  var mistakes: [Diagnostic] { mistakesFound.sorted() }
  var warnings: [Diagnostic] { warningsFound.sorted() }
  var hasMistakes: Bool { mistakeCount > 0 }
  /// The number of mistakes, including those beyond the capacity.
  private(set) var mistakeCount = 0

  func mistake(_ position: @autoclosure () -> SourcePosition, _ message: @autoclosure () -> String)
  {
    mistakeCount += 1
    guard mistakesFound.count < Self.capacity else { return }
    mistakesFound.append(
      Diagnostic(severity: .mistake, position: position(), message: message()))
  }

  func warning(_ position: @autoclosure () -> SourcePosition, _ message: @autoclosure () -> String)
  {
    guard warningsFound.count < Self.capacity else { return }
    warningsFound.append(
      Diagnostic(severity: .warning, position: position(), message: message()))
  }
}
