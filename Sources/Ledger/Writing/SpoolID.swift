internal import Glibc

/// Names one spool among those of all servers that share a ledger, over the lives of its servers.
struct SpoolID: Hashable, Sendable {
  /// The machine's name, and 64 bits that no other spool has drawn.
  let text: String

  init(text: String) {
    self.text = text
  }

  static func new() -> SpoolID {
    SpoolID(text: "\(Membership.hostName):\(ReplicaID(random: .random(in: 0...(.max))))")
  }
}

extension SpoolID {
  /// The name of a spool, as the file beside it says; it is made where there is none.
  ///
  /// A file that was copied with its folder names another server's spool: it has another inode, and
  /// gets a name of its own.
  ///
  /// - Parameter path: of the spool, whose lock the caller holds.
  static func kept(besideSpoolAt path: String) throws(LedgerError) -> SpoolID {
    let path = "\(path).id"
    do {
      let file = try File(path: path)
      let inode = try file.inode()
      if let known = try read(file), known.inode == inode { return known.id }
      let id = new()
      try file.truncate(to: 0)
      try file.append(Array("\(id.text) \(inode)\n".utf8))
      // Nothing may be drawn under a name that a loss of power takes away.
      try file.synchronize()
      return id
    } catch {
      throw .cannotOpen(path: path, reason: error.reason)
    }
  }

  /// Nil for what isn't a whole line of a name and a number.
  private static func read(
    _ file: borrowing File
  ) throws(File.Failure) -> (id: SpoolID, inode: UInt64)? {
    let text = String(decoding: try file.read(count: longestLine, at: 0), as: UTF8.self)
    guard text.hasSuffix("\n") else { return nil }
    let words = text.dropLast().split(separator: " ")
    guard words.count == 2, let inode = UInt64(words[1]) else { return nil }
    return (SpoolID(text: String(words[0])), inode)
  }

  private static let longestLine = 1_024
}
