/// Where entries wait, one line of JSON each, while the database can't be written.
///
/// A caller is told that its entry is safe only when its whole line is in the file. What a death
/// leaves behind a last line's end was promised to nobody, and is cut off at the next start.
final class Spool {
  private let path: String
  private let file: File
  private let synchronizes: Bool
  private let largestSize: Int
  private var size: Int
  private(set) var entryCount: Int

  /// Bytes read at a time, and the longest line that is believed to be one.
  private static let readSize = 64 * 1024
  private static let longestLine = 1024 * 1024
  /// Room that the file has on the disk though it is empty, so that entries find a place when a
  /// full disk is the reason why they need one.
  static let reservedSize = 4 << 20
  /// Lines replayed in one transaction.
  static let linesPerCommit = 256

  static func path(forLedgerAt path: String) -> String { path + ".spool" }

  init(_ options: SQLiteLedger.Options) throws(LedgerError) {
    let path = Spool.path(forLedgerAt: options.path)
    do {
      let file = try File(path: path)
      (entryCount, size) = try Spool.measure(file)
      try file.truncate(to: size)
      self.file = file
    } catch {
      throw .cannotOpen(path: path, reason: error.reason)
    }
    self.path = path
    synchronizes = options.durability == .power
    largestSize = options.largestSpoolBytes
    reserve()
  }

  /// Not every file system can: there the spool is as good as the room that is left.
  private func reserve() {
    try? file.reserve(min(Spool.reservedSize, largestSize))
  }

  var isEmpty: Bool { entryCount == 0 }

  /// How many whole lines there are, and where the last of them ends.
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

  /// Appends all of them, or throws and leaves the file as it was.
  func append(_ entries: [Entry]) throws(LedgerError) {
    let lines = entries.flatMap(\.line)
    guard size + lines.count <= largestSize else {
      throw .unavailable(reason: "\(path): has reached its limit of \(largestSize) bytes")
    }
    do {
      try file.append(lines)
      if synchronizes { try file.synchronize() }
    } catch {
      // What was written of it would join the next line. Should even this fail, the next start
      // refuses the file and says where: nothing is dropped silently.
      try? file.truncate(to: size)
      throw .unavailable(reason: "\(path): \(error.reason)")
    }
    size += lines.count
    entryCount += entries.count
  }

  /// Hands all lines to `replay`, some at a time, and empties the file when all are written.
  ///
  /// Lines may be handed out again when it fails on the way: replaying must not mind.
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
