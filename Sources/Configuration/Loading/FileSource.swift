/// Where configuration files are read from.
public protocol FileSource: Sendable {
  /// The bytes of the file at `path`, at most `limit` of them.
  func read(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8]
}

/// Why a file can't be read.
public enum FileError: Error, Hashable, Sendable, CustomStringConvertible {
  case missing
  /// More than the given number of bytes.
  case tooLarge(limit: Int)
  /// The system's reason.
  case unreadable(reason: String)

  public var description: String {
    switch self {
    case .missing: "no such file"
    case .tooLarge(let limit): "the file is too large; allowed: \(limit) bytes"
    case .unreadable(let reason): reason
    }
  }
}
