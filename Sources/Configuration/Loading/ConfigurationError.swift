/// The reason that a configuration can't be used.
public enum ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Every mistake of every file, sorted by file, line and column.
  case mistakes([Diagnostic])

  /// One mistake per line.
  public var description: String {
    switch self {
    case .mistakes(let mistakes): mistakes.map(\.description).joined(separator: "\n")
    }
  }
}
