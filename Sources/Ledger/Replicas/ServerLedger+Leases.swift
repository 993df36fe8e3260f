public import Budgets
internal import EventLoop
public import Time

extension ServerLedger: LeaseLender {
  /// Whether several servers share this ledger and its limits.
  public var isShared: Bool { membership != nil }

  public var isAtHand: Bool {
    isHealthy && membership?.heartbeat.isFresh(at: .now()) == true
  }

  /// Registers the listener for other replicas' messages, in place of an earlier one.
  public func hear(by listener: Membership.Listener) {
    membership?.hear(by: listener)
    queue.notice(.orphans)
  }

  /// - Throws: `LedgerError` if the ledger can't be written.
  public func draw(_ requests: [LeaseRequest]) async throws(LedgerError) -> [LeaseAnswer] {
    try await order(draws: requests).leases
  }

  /// - Throws: `LedgerError` if the ledger can't be written.
  public func giveBack(_ returns: [LeaseReturn]) async throws(LedgerError) {
    _ = try await order(returns: returns)
  }

  /// - Throws: `LedgerError` if the ledger can't be written.
  public func permit(
    _ request: ConversationRequest
  ) async throws(LedgerError) -> ConversationAnswer? {
    try await order(conversations: [request]).conversations.first
  }

  /// - Throws: `LedgerError` if the ledger can't be written.
  public func giveBack(_ returns: [ConversationReturn]) async throws(LedgerError) {
    _ = try await order(conversationReturns: returns)
  }

  private func order(
    draws: [LeaseRequest] = [], returns: [LeaseReturn] = [],
    conversations: [ConversationRequest] = [], conversationReturns: [ConversationReturn] = []
  ) async throws(LedgerError) -> LeaseOutcome {
    let result = await withCheckedContinuation {
      (caller: CheckedContinuation<Result<LeaseOutcome, LedgerError>, Never>) in
      let order = LeaseOrder(
        draws: draws, returns: returns, conversations: conversations,
        conversationReturns: conversationReturns
      ) { caller.resume(returning: $0) }
      if queue.submit(.lease(order)) != nil { caller.resume(returning: .failure(.closed)) }
    }
    return try result.get()
  }

  /// - Throws: `LedgerError` if the ledger can't be read.
  public func standings(
    from place: StandingsPage.Place, limit: Int, at now: Timestamp
  ) async throws(LedgerError) -> StandingsPage {
    guard let membership else { return StandingsPage(standings: [], next: nil) }
    return try LedgerReader(at: location, passingOver: UnreadableRows()).standings(
      from: place, limit: limit, for: membership.id, at: now)
  }
}

/// Lends replicas parts of limits, which each replica may then use without asking again.
public protocol LeaseLender: Sendable {
  /// Draws leases from the remainder of limits. Returns after the commit.
  ///
  /// - Returns: An answer for each request, in their order. If too little was left for one, other
  ///   replicas are asked to give leases back.
  /// - Throws: `LedgerError.unavailable` if the ledger can't be reached, `takenForDead` or
  ///   `closed`.
  func draw(_ requests: [LeaseRequest]) async throws(LedgerError) -> [LeaseAnswer]

  /// Whether the ledger can be asked, as far as is known. False if the ledger isn't shared.
  var isAtHand: Bool { get }

  /// Gives back leases that are no longer used. Returns when the return is certain to be recorded.
  /// - Throws: `LedgerError`, as `draw` does.
  func giveBack(_ returns: [LeaseReturn]) async throws(LedgerError)

  /// Returns the answer whether a conversation may go on or begin. Returns after the commit.
  ///
  /// - Returns: The answer; nil if the ledger isn't shared.
  /// - Throws: `LedgerError`, as `draw` does.
  func permit(_ request: ConversationRequest) async throws(LedgerError) -> ConversationAnswer?

  /// Gives back permits that are no longer used. Returns after the commit.
  /// - Throws: `LedgerError`, as `draw` does.
  func giveBack(_ returns: [ConversationReturn]) async throws(LedgerError)

  /// Returns the standings of accounts whose windows haven't ended at `now`, and of unexpired
  /// credits: at most `limit`, from `place` on.
  /// - Throws: `LedgerError` if the database can't be read.
  func standings(
    from place: StandingsPage.Place, limit: Int, at now: Timestamp
  ) async throws(LedgerError) -> StandingsPage
}
