internal import TLS

/// Reads files and remembers which, and what was in them.
///
/// The record is how a change is told from a mere touch, and which files must be watched: also
/// those that are missing, as they may come.
final class RecordedFiles {
  private let source: any FileSource
  /// A file's fingerprint by path; nil for a file that could not be read.
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

  /// Reads a file of the configuration itself, which counts for `documentsDigest`; a file with a
  /// secret doesn't.
  func readDocument(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
    let bytes = try read(path, atMost: limit)
    documentDigests.append(SHA256.digest(of: bytes).hex)
    return bytes
  }

  /// The SHA-256 of all documents in the order in which they were read, 64 hexadecimal digits.
  /// It is the same in every process, wherever the folder lies.
  var documentsDigest: String { SHA256.digest(of: documentDigests.joined()).hex }

  /// Nil for a file that was not, or could not be, read.
  func fingerprint(of path: String) -> Int? { fingerprints[path] ?? nil }

  /// Records what is in the file now, without an answer.
  func note(_ path: String, atMost limit: Int) {
    do throws(FileError) {
      _ = try read(path, atMost: limit)
    } catch {
      // Recorded as unreadable, which is all that is asked for.
    }
  }

  /// A hash that holds within this process.
  private static func fingerprint(_ bytes: [UInt8]) -> Int {
    var hasher = Hasher()
    unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    return hasher.finalize()
  }
}
