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

/// The system's reason why a file or folder can't be used.
struct DiskError: Error {
  let reason: String

  /// The reason of the system call that failed last.
  static var latest: DiskError { DiskError(reason: String(cString: strerror(errno))) }
}
