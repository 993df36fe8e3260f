public import Time

// How replicas share the number of conversations that a plan allows to begin.
//
// If a replica knows a call's conversation neither as begun nor as permitted, it asks the shared
// ledger once. A permit takes one of the limit's places. It ends in one of two ways: the
// transaction with the conversation's first row marks the conversation as begun, or the replica
// gives the permit back when no call uses it. Begun plus permitted conversations therefore never
// exceed the limit.
//
// The order is that of leases: a permit starts in the ledger first and ends here first.

extension BudgetState {
  /// Adds a call to the users of its conversation's permit; nil if the call needs no permit. The
  /// caller must end every claim.
  public mutating func claimConversation(
    for caller: Caller, at now: Timestamp
  ) -> ConversationClaim? {
    guard policy.sharesLimits, !caller.conversation.isEmpty, !conversationCounts.isEmpty else {
      return nil
    }
    conversationCounts[caller.client]?.catchUp(with: now)
    guard let count = conversationCounts[caller.client], !count.hasBegun(caller.conversation) else {
      return nil
    }
    let key = count.key(of: caller.conversation)
    let number = permits.use(key)
    if permits.isGranted(key) { return ConversationClaim(key: key, request: nil) }
    permits.ask(key)
    return ConversationClaim(
      key: key,
      request: ConversationRequest(
        key, windowEnd: count.window.end, limit: count.limit.limit, number: number, askedAt: now))
  }

  /// Applies the ledger's answer.
  public mutating func take(_ answer: ConversationAnswer, at now: Timestamp) {
    permits.take(answer)
    let key = answer.request.key
    conversationCounts[key.client]?.catchUp(with: now)
    // The period may have ended since the question.
    guard conversationCounts[key.client]?.window.start == key.windowStart else { return }
    conversationCounts[key.client]?.learn(begun: answer.begun, permitted: answer.permitted)
    if answer.permission == .begun { conversationCounts[key.client]?.begin([key.conversation]) }
  }

  /// Ends a claim. If the call was admitted, its hold uses the permit from now on.
  public mutating func end(_ claim: ConversationClaim) {
    permits.end(claim.key)
  }

  public var hasUnusedPermits: Bool { permits.hasUnused }

  /// Returns the permits to give back, which no call uses any more.
  public mutating func takeUnusedPermits() -> [ConversationReturn] {
    permits.takeUnused()
  }

  /// Queues returns again that may not have reached the ledger.
  public mutating func notGivenBack(_ returns: [ConversationReturn]) {
    permits.notGivenBack(returns)
  }

  /// Whether a call of this conversation may be admitted.
  func allows(_ conversation: String, _ count: ConversationCount) -> Bool {
    guard policy.sharesLimits else { return count.allows(conversation) }
    return count.hasBegun(conversation) || permits.isGranted(count.key(of: conversation))
  }

  func checkPermits() -> [String] {
    var held: [ConversationKey: Int] = [:]
    for key in holds.indices.lazy.compactMap({ holds[$0].conversation?.permit }) {
      held[key, default: 0] += 1
    }
    return permits.checkInvariants(held: held)
  }
}
