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

/// A place in a file as editors count: lines from 1, columns in bytes from 1.
public struct SourcePosition: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The path as the operator gave it, for example `config/clients.yaml`.
  public let file: String
  public let line: Int
  public let column: Int

  public init(file: String, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// `file:line:column`.
  public var description: String { "\(file):\(line):\(column)" }

  public static func < (left: SourcePosition, right: SourcePosition) -> Bool {
    (left.file, left.line, left.column) < (right.file, right.line, right.column)
  }
}
