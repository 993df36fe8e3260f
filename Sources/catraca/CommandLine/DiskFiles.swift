internal import Glibc

/// The files in a folder.
enum FolderListing {
  /// The paths of a folder's files whose names end in `suffix`, sorted by name. If `path` is no
  /// folder, the path itself.
  ///
  /// - Throws: `DiskError` if the folder can't be read.
  static func files(at path: String, withSuffix suffix: String) throws(DiskError) -> [String] {
    guard let directory = opendir(path) else {
      guard errno == ENOTDIR else { throw .latest }
      return [path]
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(suffix), !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted().map { "\(path)/\($0)" }
  }
}

/// A file that a command writes.
enum WrittenFile {
  /// Replaces a file as a whole, so that a server that watches its folder never reads half of it.
  /// Creates the folder if it doesn't exist.
  /// - Throws: `DiskError` if the file can't be written.
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

  /// Writes all bytes. Returns the failure; nil if there is none.
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

/// The system's reason why a file or folder can't be used.
struct DiskError: Error {
  let reason: String

  /// The reason of the system call that failed last.
  static var latest: DiskError { DiskError(reason: String(cString: strerror(errno))) }
}
