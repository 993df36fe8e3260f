/// Where configuration files are read from.
public protocol FileSource: Sendable {
  /// The bytes of the file at `path`, at most `limit` of them.
  func read(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8]

  /// When and where the file at `path` was written last; nil where there is none.
  func stamp(of path: String) -> FileStamp?
}

/// What differs after each write of a file, also one that leaves its content as it was.
public struct FileStamp: Hashable, Sendable {
  private let inode: UInt64
  private let nanoseconds: Int64

  /// - Parameters:
  ///   - inode: Another one after a file was renamed into place.
  ///   - nanoseconds: When the file was written, of any epoch.
  public init(inode: UInt64, nanoseconds: Int64) {
    self.inode = inode
    self.nanoseconds = nanoseconds
  }
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
