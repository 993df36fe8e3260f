internal import Time

/// The permits that this replica uses of the shared ledger, one for each conversation that it
/// doesn't know to have begun.
///
/// A permit lives as long as a call uses it: a call that asks for admission, or a call that is
/// held. When its last call ends, either the conversation has begun or the permit is given back.
struct ConversationPermits: Sendable {
  private struct Permit: Sendable {
    /// A new number each time the permit is taken, so that a late return never ends a later permit.
    let number: Int64
    var uses = 0
    var isGranted = false
    /// Questions to the ledger without an answer. A lost question never gets one.
    var unanswered = 0

    /// Whether the ledger may have granted the permit.
    var mayBeTaken: Bool { isGranted || unanswered > 0 }
  }

  private var permits: [ConversationKey: Permit] = [:]
  private var unused: [ConversationReturn] = []
  private var lastNumber: Int64 = 0

  func isGranted(_ key: ConversationKey) -> Bool {
    permits[key]?.isGranted == true
  }

  /// Adds a use of the conversation's permit, and creates the permit if there is none.
  ///
  /// - Returns: The permit's number.
  @discardableResult
  mutating func use(_ key: ConversationKey) -> Int64 {
    var permit = permits[key] ?? Permit(number: nextNumber())
    permit.uses += 1
    permits[key] = permit
    return permit.number
  }

  /// Notes a question to the ledger. From now on, the ledger may have reserved a place.
  mutating func ask(_ key: ConversationKey) {
    permits[key]?.unanswered += 1
  }

  mutating func take(_ answer: ConversationAnswer) {
    let request = answer.request
    // If the numbers differ, the permit was voided after the question.
    guard permits[request.key]?.number == request.number else { return }
    permits[request.key]?.unanswered -= 1
    if answer.permission == .permitted { permits[request.key]?.isGranted = true }
  }

  /// Ends one use of the permit. The last use marks a permit that the ledger may have granted for
  /// return.
  mutating func end(_ key: ConversationKey) {
    guard var permit = permits[key] else { return }
    permit.uses -= 1
    permits[key] = permit.uses > 0 ? permit : nil
    if permit.uses == 0, permit.mayBeTaken {
      unused.append(ConversationReturn(of: key, number: permit.number))
    }
  }

  /// Notes that the conversation has begun, which ended the permit in the ledger.
  mutating func begin(_ key: ConversationKey) {
    permits[key]?.isGranted = false
  }

  var hasUnused: Bool { !unused.isEmpty }

  mutating func takeUnused() -> [ConversationReturn] {
    defer { unused = [] }
    return unused
  }

  /// Queues returns again that may not have reached the ledger.
  mutating func notGivenBack(_ returns: [ConversationReturn]) {
    unused += returns
  }

  /// Renumbers all permits after other replicas ended them. Answers to earlier questions no longer
  /// count.
  mutating func void() {
    for (key, permit) in permits {
      permits[key] = Permit(number: nextNumber(), uses: permit.uses)
    }
    unused = []
  }

  private mutating func nextNumber() -> Int64 {
    lastNumber += 1
    return lastNumber
  }

  /// Returns a message for every broken invariant; empty unless there is a defect.
  ///
  /// - Parameter held: The number of holds that use each permit.
  func checkInvariants(held: [ConversationKey: Int]) -> [String] {
    held.compactMap { key, uses in
      (permits[key]?.uses ?? 0) < uses
        ? "the permit of \(key.conversation) has fewer uses than holds" : nil
    }
  }
}
