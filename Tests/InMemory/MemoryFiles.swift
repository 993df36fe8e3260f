package import Configuration
internal import EventLoop

/// Files without a disk. They can be edited between two loads.
package final class MemoryFiles: FileSource {
  private let contents: Lock<[String: String]>
  /// How often each file was written, by its path.
  private let writes = Lock<[String: Int64]>([:])

  package init(_ contents: [String: String]) {
    self.contents = Lock(contents)
  }

  package subscript(path: String) -> String? {
    get { contents.withLock { $0[path] } }
    set {
      contents.withLock { $0[path] = newValue }
      writes.withLock { $0[path, default: 0] += 1 }
    }
  }

  package func stamp(of path: String) -> FileStamp? {
    FileStamp(inode: 1, nanoseconds: writes.withLock { $0[path] ?? 0 })
  }

  package func read(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
    guard let text = self[path] else { throw .missing }
    guard text.utf8.count <= limit else { throw .tooLarge(limit: limit) }
    return Array(text.utf8)
  }
}
