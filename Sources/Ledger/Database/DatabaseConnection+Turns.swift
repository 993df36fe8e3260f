// Several servers take turns at what is decided from what was read: the rows that one of them has
// read could be another's by the time it writes. In SQLite, whoever may write is alone anyway.

extension DatabaseConnection {
  /// A kind of work that servers do one at a time.
  enum Turn: Int64 {
    // Any numbers that nothing else in the database locks.
    case edits = 0x6361_7472_6163_6101
    case billing = 0x6361_7472_6163_6102
    case detaching = 0x6361_7472_6163_6103
  }

  /// Waits within a transaction until no other server has the turn; it ends with the transaction.
  func take(_ turn: Turn) throws(LedgerError) {
    switch dialect {
    case .sqlite: break
    case .postgresql: try prepare("SELECT pg_advisory_xact_lock(\(turn.rawValue))").run()
    }
  }

  /// A transaction that decides what it changes by what it reads; made again where others come in
  /// between. An edit within an edit is a part of its transaction.
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
