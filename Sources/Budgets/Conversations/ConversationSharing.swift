public import Time

// How replicas share the number of conversations that a plan lets begin.
//
// A call whose conversation this replica knows neither as begun nor as permitted asks the shared
// ledger, once. A permit has one of the limit's places there: until the conversation has begun, in
// the transaction that records its first row, or until no call uses the permit any more and it is
// given back. So what has begun and what is permitted never exceed the limit together.
//
// As with leases, a permit is given in the ledger first and then here, and ends here first.

extension BudgetState {
  /// Has a call take part in the permit of its conversation; nil where it needs none. Every claim
  /// is ended.
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

  /// Takes over what the ledger has said.
  public mutating func take(_ answer: ConversationAnswer, at now: Timestamp) {
    permits.take(answer)
    let key = answer.request.key
    conversationCounts[key.client]?.catchUp(with: now)
    // The period may have ended meanwhile.
    guard conversationCounts[key.client]?.window.start == key.windowStart else { return }
    conversationCounts[key.client]?.learn(begun: answer.begun, permitted: answer.permitted)
    if answer.permission == .begun { conversationCounts[key.client]?.begin([key.conversation]) }
  }

  /// The call was let in, and its hold uses the permit; or it was not.
  public mutating func end(_ claim: ConversationClaim) {
    permits.end(claim.key)
  }

  public var hasUnusedPermits: Bool { permits.hasUnused }

  /// What is to be given back: no call uses it any more.
  public mutating func takeUnusedPermits() -> [ConversationReturn] {
    permits.takeUnused()
  }

  /// Notes that what was given back may not have reached the ledger: it is given back again.
  public mutating func notGivenBack(_ returns: [ConversationReturn]) {
    permits.notGivenBack(returns)
  }

  /// Whether a call of this conversation may go.
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
