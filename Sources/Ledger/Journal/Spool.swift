internal import Glibc

/// A file of entries that wait while the database can't be written: one line of JSON each.
///
/// `append` reports an entry as safe only after its whole line is in the file. After a crash, an
/// incomplete last line was never reported as safe, and the next start cuts it off.
final class Spool {
  /// The spool's address; nil if one server owns the ledger.
  let address: SpoolAddress?
  private let path: String
  private let file: File
  private let synchronizes: Bool
  private let largestSize: Int
  private var size: Int
  private(set) var entryCount: Int

  /// The bytes read at a time.
  private static let readSize = 64 * 1024
  private static let longestLine = 1024 * 1024
  /// The space that the empty file reserves on the disk, so that entries still fit when a full disk
  /// is the reason for spooling.
  static let reservedSize = 4 << 20
  /// The lines that are replayed in one transaction.
  static let linesPerCommit = 256

  /// Returns this server's spool, and the spools that dead servers have left.
  ///
  /// Servers that share a database may also share a working directory. Each server then takes the
  /// first spool that no other server holds: `catraca.spool`, `catraca.2.spool`, and so on.
  static func claim(
    _ options: ServerLedger.Options
  ) throws(LedgerError) -> (own: Spool, abandoned: [Spool]) {
    guard case .postgresql = options.location else { return (try Spool(options), []) }
    var own: Spool?
    var abandoned: [Spool] = []
    for number in 1...mostSpools {
      let path = numbered(options.spoolPath, number)
      if own != nil, unsafe access(path, F_OK) != 0 { continue }
      guard let spool = try Spool(options, lockedAt: path) else { continue }
      if own == nil { own = spool } else { abandoned.append(spool) }
    }
    guard let own else {
      throw .cannotOpen(
        path: options.spoolPath,
        reason: "\(mostSpools) servers spool to its folder; start this one in another")
    }
    return (own, abandoned)
  }

  private static let mostSpools = 64

  /// Returns the spool of another server on this machine; nil if it isn't within reach, or if a
  /// server holds it.
  static func left(
    at address: SpoolAddress, _ options: ServerLedger.Options
  ) throws(LedgerError) -> Spool? {
    guard address.id.names(spoolAt: address.path, for: options.location) else { return nil }
    return try Spool(options, lockedAt: address.path)
  }

  private static func address(
    of path: String, _ options: ServerLedger.Options
  ) throws(LedgerError) -> SpoolAddress {
    guard let resolved = unsafe realpath(path, nil) else {
      throw .cannotOpen(path: path, reason: File.Failure(code: errno).reason)
    }
    defer { unsafe free(resolved) }
    return SpoolAddress(
      id: try SpoolID.kept(besideSpoolAt: path, for: options.location),
      path: unsafe String(cString: resolved))
  }

  private static func numbered(_ path: String, _ number: Int) -> String {
    let suffix = ".spool"
    guard number > 1, path.hasSuffix(suffix) else { return path }
    return "\(path.dropLast(suffix.count)).\(number)\(suffix)"
  }

  private convenience init(_ options: ServerLedger.Options) throws(LedgerError) {
    try self.init(options, path: options.spoolPath, Spool.open(options.spoolPath))
  }

  /// Returns nil if another server holds the spool.
  private convenience init?(
    _ options: ServerLedger.Options, lockedAt path: String
  ) throws(LedgerError) {
    let file = try Spool.open(path)
    guard file.lock() else { return nil }
    try self.init(options, path: path, file)
  }

  private static func open(_ path: String) throws(LedgerError) -> File {
    do {
      return try File(path: path)
    } catch {
      throw .cannotOpen(path: path, reason: error.reason)
    }
  }

  private init(
    _ options: ServerLedger.Options, path: String, _ file: consuming File
  ) throws(LedgerError) {
    do {
      (entryCount, size) = try Spool.measure(file)
      try file.truncate(to: size)
      self.file = file
    } catch {
      throw .cannotOpen(path: path, reason: error.reason)
    }
    self.path = path
    address = options.isShared ? try Spool.address(of: path, options) : nil
    synchronizes = options.durability == .power
    largestSize = options.largestSpoolBytes
    reserve()
  }

  /// Reserves the space if the file system supports that. If it doesn't, the spool can use only the
  /// space that is left.
  private func reserve() {
    try? file.reserve(min(Spool.reservedSize, largestSize))
  }

  var isEmpty: Bool { entryCount == 0 }

  /// Returns the number of whole lines, and the end of the last one.
  private static func measure(
    _ file: borrowing File
  ) throws(File.Failure) -> (lines: Int, end: Int) {
    var lines = 0
    var end = 0
    var offset = 0
    while true {
      let bytes = try file.read(count: readSize, at: offset)
      if bytes.isEmpty { return (lines, end) }
      for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
        lines += 1
        end = offset + index + 1
      }
      offset += bytes.count
    }
  }

  /// Appends all entries, or throws and leaves the file unchanged.
  ///
  /// - Parameter replica: The replica that settled them; nil if one server owns the ledger.
  func append(_ entries: [Entry], of replica: ReplicaID? = nil) throws(LedgerError) {
    let lines = entries.flatMap { $0.line(of: replica) }
    guard size + lines.count <= largestSize else {
      throw .unavailable(reason: "\(path): has reached its limit of \(largestSize) bytes")
    }
    do {
      try file.append(lines)
      if synchronizes { try file.synchronize() }
    } catch {
      // A partial line would join the next line, so it is cut off. If that fails too, the next
      // start refuses the file and names the place, so that nothing is lost silently.
      try? file.truncate(to: size)
      throw .unavailable(reason: "\(path): \(error.reason)")
    }
    size += lines.count
    entryCount += entries.count
  }

  /// Passes all lines to `replay` in groups, and empties the file when all are written.
  ///
  /// After a failure, `replay` may receive lines again, so it must accept repetitions.
  func drain(_ replay: ([String]) throws(LedgerError) -> Void) throws(LedgerError) {
    var offset = 0
    while offset < size {
      let (lines, end) = try nextLines(from: offset)
      do {
        try replay(lines)
      } catch .unreadable(let record) {
        throw .unreadable(record: "\(path), between bytes \(offset) and \(end): \(record)")
      }
      offset = end
    }
    do {
      try file.truncate(to: 0)
    } catch {
      throw .unavailable(reason: "\(path): \(error.reason)")
    }
    size = 0
    entryCount = 0
    reserve()
  }

  private func nextLines(from start: Int) throws(LedgerError) -> (lines: [String], end: Int) {
    var lines: [String] = []
    var end = start
    var line: [UInt8] = []
    var offset = start
    while lines.count < Spool.linesPerCommit, offset < size {
      let bytes: [UInt8]
      do {
        bytes = try file.read(count: Spool.readSize, at: offset)
      } catch {
        throw .unavailable(reason: "\(path): \(error.reason)")
      }
      guard !bytes.isEmpty, line.count <= Spool.longestLine else {
        throw .unreadable(record: "\(path): the line at byte \(end)")
      }
      offset += bytes.count
      for byte in bytes where lines.count < Spool.linesPerCommit {
        guard byte == UInt8(ascii: "\n") else {
          line.append(byte)
          continue
        }
        lines.append(String(decoding: line, as: UTF8.self))
        end += line.count + 1
        line.removeAll(keepingCapacity: true)
      }
    }
    return (lines, end)
  }
}
