internal import EventLoop
internal import Time

// Makes changes exactly once for an idempotency key.

extension LedgerEditor {
  /// Makes several changes in one transaction.
  /// - Throws: `LedgerError` of the changes, or if the commit fails.
  public func together<Answer>(
    _ changes: () throws(LedgerError) -> Answer
  ) throws(LedgerError) -> Answer {
    try connection.edit(changes)
  }

  /// Makes changes in one transaction with the claim of an idempotency key. If the key was already
  /// claimed, nothing changes.
  ///
  /// A commit of unknown outcome is repeated: the claim shows whether the first one succeeded.
  /// Example: the connection breaks after COMMIT was sent. The second transaction waits for the
  /// first one's locks and then finds its key, so the change is made once.
  ///
  /// In each attempt, the database may be silent for `patienceWithAnswer`. Example: a network drops
  /// all packets of a connection after COMMIT was sent. After 10 seconds, the change is repeated on
  /// another connection, which finds the key.
  ///
  /// - Parameter changes: Makes the changes and returns their result.
  /// - Throws: The errors of `changes`, and `LedgerError.undecided` if the outcome of the commit
  ///   can't be learned in `patienceWithCommit`.
  public func once(
    _ claim: IdempotencyClaim, _ changes: () throws(LedgerError) -> String
  ) throws(LedgerError) -> ClaimedKey {
    var isUncertain = false
    let deadline = MonotonicInstant.now().advanced(by: LedgerEditor.patienceWithCommit)
    while true {
      expectAnswers(
        within: min(LedgerEditor.patienceWithAnswer, deadline.elapsed(since: .now())))
      do {
        return try claimAndChange(claim, changes)
      } catch {
        if connection.takeUncertainty() { isUncertain = true }
        guard isUncertain, case .unavailable(let reason) = error else { throw error }
        guard MonotonicInstant.now() < deadline else { throw .undecided(reason: reason) }
        Thread.pause(for: LedgerEditor.pauseBeforeAsking)
      }
    }
  }

  /// The time for which the database is asked whether a commit succeeded.
  public static let patienceWithCommit = Duration.seconds(20)
  private static let patienceWithAnswer = Duration.seconds(10)
  private static let pauseBeforeAsking = Duration.milliseconds(100)

  private func claimAndChange(
    _ claim: IdempotencyClaim, _ changes: () throws(LedgerError) -> String
  ) throws(LedgerError) -> ClaimedKey {
    let keys = IdempotencyKeyStore(connection)
    return try connection.edit { () throws(LedgerError) in
      try keys.prune(at: author.now)
      if let known = try keys.find(claim.key, of: claim.owner, at: author.now) { return known }
      let outcome = try changes()
      guard try keys.claim(claim, outcome: outcome) else {
        throw .unavailable(reason: "the key is claimed by another transaction")
      }
      return ClaimedKey(
        requestSHA256: claim.requestSHA256, createdAt: claim.createdAt,
        outcome: claim.hasSecret ? nil : outcome)
    }
  }

  /// Stores the answer of a key's call. Returns the key with the valid answer, which is the first
  /// one stored; nil if the key isn't claimed yet.
  ///
  /// - Parameter claiming: Whether to claim the key, for a call that changes nothing here. If a
  ///   change still waits to be written, it must claim the key itself.
  /// - Throws: `LedgerError` if the database can't be written.
  public func store(
    _ answer: ClaimedKey.Answer?, of claim: IdempotencyClaim, claiming: Bool
  ) throws(LedgerError) -> ClaimedKey? {
    let keys = IdempotencyKeyStore(connection)
    return try connection.edit { () throws(LedgerError) in
      try keys.prune(at: author.now)
      if claiming { _ = try keys.claim(claim, outcome: "") }
      if claim.actsWithin != nil { try keys.keep(claim) }
      if let answer { try keys.store(answer, of: claim) }
      return try keys.find(claim.key, of: claim.owner, at: author.now)
    }
  }
}

extension LedgerEditor {
  /// Returns the stored signing key. If there is none, stores and returns `fresh`.
  ///
  /// The key outlives a restart. Provider keys and admin tokens must not be stored this way,
  /// because a reader of the ledger could use them elsewhere. A signature with this key gives
  /// access only to what the ledger itself shows.
  ///
  /// - Parameter fresh: Random bytes in Base64.
  /// - Throws: `LedgerError` if the database can't be written.
  public func signingKey(_ name: String, orKeep fresh: String) throws(LedgerError) -> String {
    try connection.edit { () throws(LedgerError) in
      let insert = try connection.prepare(
        "INSERT INTO signing_keys (name, key, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
      try insert.run(name, fresh, author.now.rfc3339)
      let select = try connection.prepare("SELECT key FROM signing_keys WHERE name = ?")
      select.bind(name)
      return try select.firstRow { fields throws(LedgerError) in
        try fields.requiredText("key", of: "the signing key \(name)")
      } ?? fresh
    }
  }
}
