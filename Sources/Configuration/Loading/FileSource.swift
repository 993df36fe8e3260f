/// A source of configuration files.
public protocol FileSource: Sendable {
  /// Returns the bytes of the file at `path`.
  /// - Throws: `FileError`; `tooLarge` if the file has more than `limit` bytes.
  func read(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8]

  /// Returns the stamp of the last write of the file at `path`; nil if it doesn't exist.
  func stamp(of path: String) -> FileStamp?
}

/// A value that differs after each write of a file, even if its content is the same.
public struct FileStamp: Hashable, Sendable {
  private let inode: UInt64
  private let nanoseconds: Int64

  /// - Parameters:
  ///   - inode: The file's inode, which changes when a file is renamed into place.
  ///   - nanoseconds: The time of the write, of any epoch.
  public init(inode: UInt64, nanoseconds: Int64) {
    self.inode = inode
    self.nanoseconds = nanoseconds
  }
}

/// The reason that a file can't be read.
public enum FileError: Error, Hashable, Sendable, CustomStringConvertible {
  case missing
  /// The file has more than this number of bytes.
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
