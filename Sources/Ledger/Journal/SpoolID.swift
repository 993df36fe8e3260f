internal import Glibc

/// Identifies one spool among all servers that share a ledger, across restarts of its server.
struct SpoolID: Hashable, Sendable {
  /// The machine's name, and 64 random bits.
  let text: String

  init(text: String) {
    self.text = text
  }

  static func new() -> SpoolID {
    SpoolID(text: "\(Membership.hostName):\(ReplicaID(random: .random(in: 0...(.max))))")
  }
}

/// A spool, and its path on its server's machine.
struct SpoolAddress: Hashable, Sendable {
  let id: SpoolID
  /// The absolute path.
  let path: String
}

extension SpoolID {
  /// Returns the ID of a spool from the file beside it, and creates that file if there is none.
  ///
  /// A copied folder contains the ID of another server's spool. The copy has another inode, and
  /// gets its own ID.
  ///
  /// - Parameters:
  ///   - path: The path of the spool, whose lock the caller holds.
  ///   - ledger: The ledger for which the server spools.
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
      // The ID is written to disk first, so that a power loss can't remove an ID under which leases
      // were drawn.
      try file.synchronize()
      return id
    } catch {
      throw .cannotOpen(path: path, reason: error.reason)
    }
  }

  /// Whether the spool at a path has this ID and belongs to the same ledger; false if no spool is
  /// within reach. A copied ledger names spools that belong to the original.
  func names(spoolAt path: String, for ledger: LedgerLocation) -> Bool {
    guard let file = try? File(existingAt: "\(path).id"), let inode = try? file.inode(),
      let known = try? SpoolID.read(file)
    else { return false }
    return known.id == self && known.inode == inode && known.ledger == ledger.description
  }

  /// Returns nil unless the file has one whole line of an ID, an inode and a ledger.
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
