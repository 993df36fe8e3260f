internal import TLS

/// Reads files, and records their paths and contents.
///
/// The record shows whether a file has changed or was only touched, and which files to watch. It
/// includes missing files, because they may appear.
final class RecordedFiles {
  private let source: any FileSource
  /// The fingerprint of each file by path; nil if it couldn't be read.
  private(set) var fingerprints: [String: Int?] = [:]
  private var documentDigests: [String] = []

  init(_ source: any FileSource) {
    self.source = source
  }

  func read(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
    do throws(FileError) {
      let bytes = try source.read(path, atMost: limit)
      fingerprints[path] = .some(Self.fingerprint(bytes))
      return bytes
    } catch {
      fingerprints[path] = .some(nil)
      throw error
    }
  }

  /// Reads a file of the configuration itself. It counts in `documentsDigest`; a file with a secret
  /// doesn't.
  func readDocument(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
    let bytes = try read(path, atMost: limit)
    documentDigests.append(SHA256.digest(of: bytes).hex)
    return bytes
  }

  /// The SHA-256 of all documents in reading order, as 64 hexadecimal digits. It is the same in
  /// every process, wherever the folder is.
  var documentsDigest: String { SHA256.digest(of: documentDigests.joined()).hex }

  /// Returns the fingerprint of a file; nil if it wasn't or couldn't be read.
  func fingerprint(of path: String) -> Int? { fingerprints[path] ?? nil }

  /// Records the current content of a file.
  func note(_ path: String, atMost limit: Int) {
    do throws(FileError) {
      _ = try read(path, atMost: limit)
    } catch {
      // The failure is recorded as unreadable, which is the purpose of this call.
    }
  }

  /// Returns a hash that is valid within this process.
  private static func fingerprint(_ bytes: [UInt8]) -> Int {
    var hasher = Hasher()
    unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    return hasher.finalize()
  }
}
