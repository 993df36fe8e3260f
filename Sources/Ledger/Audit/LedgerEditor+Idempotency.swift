internal import EventLoop
internal import Time

// Changes that are made once for an idempotency key.

extension LedgerEditor {
  /// Makes several changes in one transaction.
  public func together<Answer>(
    _ changes: () throws(LedgerError) -> Answer
  ) throws(LedgerError) -> Answer {
    try connection.edit(changes)
  }

  /// Makes changes in one transaction with the claim of an idempotency key. Where the key was
  /// claimed before, it changes nothing.
  ///
  /// A commit of unknown outcome is made again: the claim tells whether the first one succeeded.
  /// Example: the connection breaks after COMMIT was sent. The second transaction waits for the
  /// first one's locks, then finds its key, and the change is made once.
  ///
  /// In each attempt the database may be silent for `patienceWithAnswer`. Example: a network drops
  /// all packets of a connection that COMMIT was sent on. After 10 seconds the change is made again
  /// on another connection, which finds the key.
  ///
  /// - Parameter changes: makes them, and returns what they came to.
  /// - Throws: Beside what `changes` throws, `undecided` where the database can't be asked for so
  ///   long whether it has committed.
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

  /// For how long the database is asked whether a commit succeeded.
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

  /// Stores what the call of a key answered; returns the key with the answer that counts, which is
  /// the one that was stored first. Nil for a key that nobody has claimed yet.
  ///
  /// - Parameter claiming: whether to claim the key, of a call that changes nothing here. Where a
  ///   change still waits to be written, its key must be left to it.
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
