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

/// A spool, and where it is on the machine of its server.
struct SpoolAddress: Hashable, Sendable {
  let id: SpoolID
  /// Absolute.
  let path: String
}

extension SpoolID {
  /// The name of a spool, as the file beside it says; it is made where there is none.
  ///
  /// A file that was copied with its folder names another server's spool: it has another inode, and
  /// gets a name of its own.
  ///
  /// - Parameters:
  ///   - path: of the spool, whose lock the caller holds.
  ///   - ledger: what is spooled for.
  static func kept(
    besideSpoolAt path: String, for ledger: LedgerLocation
  ) throws(LedgerError) -> SpoolID {
    let path = "\(path).id"
    do {
      let file = try File(path: path)
      let inode = try file.inode()
      let known = try read(file).flatMap { $0.inode == inode ? $0 : nil }
      if let known, known.ledger == ledger.description { return known.id }
      let id = known?.id ?? new()
      try file.truncate(to: 0)
      try file.append(Array("\(id.text) \(inode) \(ledger)\n".utf8))
      // Nothing may be drawn under a name that a loss of power takes away.
      try file.synchronize()
      return id
    } catch {
      throw .cannotOpen(path: path, reason: error.reason)
    }
  }

  /// Whether the spool at a path is the one of this name, for the same ledger; false where none is
  /// within reach. A copy of a ledger names spools that belong to the original.
  func names(spoolAt path: String, for ledger: LedgerLocation) -> Bool {
    guard let file = try? File(existingAt: "\(path).id"), let inode = try? file.inode(),
      let known = try? SpoolID.read(file)
    else { return false }
    return known.id == self && known.inode == inode && known.ledger == ledger.description
  }

  /// Nil for what isn't a whole line of a name, a number and a ledger.
  private static func read(
    _ file: borrowing File
  ) throws(File.Failure) -> (id: SpoolID, inode: UInt64, ledger: String)? {
    let text = String(decoding: try file.read(count: longestLine, at: 0), as: UTF8.self)
    guard text.hasSuffix("\n") else { return nil }
    let words = text.dropLast().split(separator: " ", maxSplits: 2)
    guard words.count == 3, let inode = UInt64(words[1]) else { return nil }
    return (SpoolID(text: String(words[0])), inode, String(words[2]))
  }

  private static let longestLine = 4_096
}
