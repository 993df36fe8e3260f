// Several servers take turns at transactions that decide from rows that they have read, because
// another server could change these rows before the write. SQLite has one writer at a time anyway.

extension DatabaseConnection {
  /// A kind of work that servers do one at a time.
  enum Turn: Int64 {
    // The numbers are arbitrary. Nothing else in the database locks them.
    case edits = 0x6361_7472_6163_6101
    case billing = 0x6361_7472_6163_6102
    case detaching = 0x6361_7472_6163_6103
  }

  /// Waits, within a transaction, until no other server has the turn. The turn ends with the
  /// transaction.
  func take(_ turn: Turn) throws(LedgerError) {
    switch dialect {
    case .sqlite: break
    case .postgresql: try prepare("SELECT pg_advisory_xact_lock(\(turn.rawValue))").run()
    }
  }

  /// Runs a transaction that decides its changes from rows that it reads. After a conflict with
  /// another server, it is repeated. An edit within an edit is part of the outer transaction.
  func edit<Answer>(_ body: () throws(LedgerError) -> Answer) throws(LedgerError) -> Answer {
    if isEditing { return try body() }
    return try repeatedly { () throws(LedgerError) in
      try transaction { () throws(LedgerError) in
        isEditing = true
        defer { isEditing = false }
        try take(.edits)
        return try body()
      }
    }
  }
}

/// A message of another connection to a channel.
struct Notification: Hashable {
  let channel: String
  let payload: String
}
