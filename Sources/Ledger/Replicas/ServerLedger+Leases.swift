public import Budgets
public import Time

internal import EventLoop

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

  public func draw(_ requests: [LeaseRequest]) async throws(LedgerError) -> [LeaseAnswer] {
    try await order(draws: requests).leases
  }

  public func giveBack(_ returns: [LeaseReturn]) async throws(LedgerError) {
    _ = try await order(returns: returns)
  }

  public func permit(
    _ request: ConversationRequest
  ) async throws(LedgerError) -> ConversationAnswer? {
    try await order(conversations: [request]).conversations.first
  }

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

  public func standings(
    from place: StandingsPage.Place, limit: Int, at now: Timestamp
  ) async throws(LedgerError) -> StandingsPage {
    guard let membership else { return StandingsPage(standings: [], next: nil) }
    return try LedgerReader(at: location, passingOver: UnreadableRows()).standings(
      from: place, limit: limit, for: membership.id, at: now)
  }
}
