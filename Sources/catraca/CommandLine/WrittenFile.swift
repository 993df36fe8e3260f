internal import Glibc

/// A file that a command writes.
enum WrittenFile {
  /// Puts a file in place whole, so that a server which watches its folder never reads half of it.
  /// Makes the folder where there is none.
  static func replace(_ path: String, with text: String) throws(DiskError) {
    if let slash = path.lastIndex(of: "/") {
      let folder = String(path[..<slash])
      guard folder.isEmpty || mkdir(folder, 0o777) == 0 || errno == EEXIST else {
        throw .latest
      }
    }
    let draft = "\(path).new"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw .latest }
    var failure = write(Array(text.utf8), to: descriptor)
    if close(descriptor) != 0 { failure = failure ?? .latest }
    if failure == nil, rename(draft, path) != 0 { failure = .latest }
    if let failure {
      unlink(draft)
      throw failure
    }
  }

  /// The failure that kept all of it from being written.
  private static func write(_ bytes: [UInt8], to descriptor: CInt) -> DiskError? {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { rest in
        Glibc.write(descriptor, rest.baseAddress, rest.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return .latest }
      written += count
    }
    return nil
  }
}
