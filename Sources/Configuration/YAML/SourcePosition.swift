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
