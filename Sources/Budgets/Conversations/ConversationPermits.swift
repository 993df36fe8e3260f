internal import Time

/// The permits that this replica uses of the shared ledger, each of a conversation that it doesn't
/// know to have begun.
///
/// A permit lives as long as a call uses it: one that asks to be let in, or one that is held. The
/// last of them either has begun the conversation, or has the permit given back.
struct ConversationPermits: Sendable {
  private struct Permit: Sendable {
    /// Another for each time that it is taken: what is given back late ends no later permit.
    let number: Int64
    var uses = 0
    var isGranted = false
    /// Questions to the ledger that have no answer. One that is lost never gets it.
    var unanswered = 0

    /// Whether the ledger may have given it.
    var mayBeTaken: Bool { isGranted || unanswered > 0 }
  }

  private var permits: [ConversationKey: Permit] = [:]
  private var unused: [ConversationReturn] = []
  private var lastNumber: Int64 = 0

  func isGranted(_ key: ConversationKey) -> Bool {
    permits[key]?.isGranted == true
  }

  /// Has one more call use the conversation's permit, whether or not there is one yet.
  ///
  /// - Returns: The permit's number.
  @discardableResult
  mutating func use(_ key: ConversationKey) -> Int64 {
    var permit = permits[key] ?? Permit(number: nextNumber())
    permit.uses += 1
    permits[key] = permit
    return permit.number
  }

  /// Notes that the ledger is asked: whatever comes of it, the place may be taken there.
  mutating func ask(_ key: ConversationKey) {
    permits[key]?.unanswered += 1
  }

  mutating func take(_ answer: ConversationAnswer) {
    let request = answer.request
    // Else it was void meanwhile.
    guard permits[request.key]?.number == request.number else { return }
    permits[request.key]?.unanswered -= 1
    if answer.permission == .permitted { permits[request.key]?.isGranted = true }
  }

  /// One call less uses the permit.
  mutating func end(_ key: ConversationKey) {
    guard var permit = permits[key] else { return }
    permit.uses -= 1
    permits[key] = permit.uses > 0 ? permit : nil
    if permit.uses == 0, permit.mayBeTaken {
      unused.append(ConversationReturn(of: key, number: permit.number))
    }
  }

  /// The conversation has begun, and the ledger has ended the permit with that.
  mutating func begin(_ key: ConversationKey) {
    permits[key]?.isGranted = false
  }

  var hasUnused: Bool { !unused.isEmpty }

  mutating func takeUnused() -> [ConversationReturn] {
    defer { unused = [] }
    return unused
  }

  /// Notes that what was given back may not have reached the ledger.
  mutating func notGivenBack(_ returns: [ConversationReturn]) {
    unused += returns
  }

  /// Others have ended all permits of this replica, and what is answered from now on was asked
  /// before.
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

  /// Names everything that is wrong: nothing, unless there is a defect.
  ///
  /// - Parameter held: how many holds use each permit.
  func checkInvariants(held: [ConversationKey: Int]) -> [String] {
    held.compactMap { key, uses in
      (permits[key]?.uses ?? 0) < uses
        ? "the permit of \(key.conversation) has fewer uses than holds" : nil
    }
  }
}
