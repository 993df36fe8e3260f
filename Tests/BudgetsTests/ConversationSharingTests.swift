import Testing
import Time

@testable import Budgets

/// One replica, and a ledger that answers as the test says.
@Suite("Conversations of a plan that replicas share")
struct ConversationSharingTests {
  private var gate = Turnstile([], sharesLimits: true)

  init() {
    limit(2)
  }

  private mutating func limit(_ limit: Int64, period: BudgetPeriod = .monthly) {
    gate.state.limitConversations(
      [ConversationLimit(client: "acme", limit: limit, period: period, timeZone: .utc)],
      at: gate.now)
  }

  private func call(_ conversation: String) -> Caller { caller(conversation: conversation) }

  private mutating func claimed(_ conversation: String) -> ConversationClaim? {
    gate.state.claimConversation(for: call(conversation), at: gate.now)
  }

  private mutating func answer(
    _ claim: ConversationClaim?, _ permission: ConversationAnswer.Permission, begun: Int64 = 0,
    permitted: Int64 = 0
  ) throws {
    let request = try #require(claim?.request)
    gate.state.take(
      ConversationAnswer(to: request, permission, begun: begun, permitted: permitted),
      at: gate.now)
  }

  /// A call that is let in with a permit.
  private mutating func permitted(_ conversation: String) throws -> Grant {
    let claim = try #require(claimed(conversation))
    if claim.request != nil { try answer(claim, .permitted, permitted: 1) }
    defer { gate.state.end(claim) }
    return try gate.held(demand(output: 1), for: call(conversation))
  }

  private mutating func returned() -> [String] {
    gate.state.takeUnusedPermits().map(\.key.conversation)
  }

  @Test("Nothing is asked where nothing is limited, and for a conversation once")
  mutating func asksOnce() throws {
    #expect(claimed("") == nil)
    let other = caller("globex", conversation: "a")
    #expect(gate.state.claimConversation(for: other, at: gate.now) == nil)
    let grant = try permitted("a")
    let second = try #require(claimed("a"))
    #expect(second.request == nil, "the first call's permit is there")
    gate.state.end(second)
    try gate.settle(grant, use(1))
    #expect(claimed("a") == nil, "it has begun")
    #expect(returned() == [], "the row has ended the permit")
  }

  @Test("A call without a permit isn't let in, and told to come again while places may be free")
  mutating func needsPermit() throws {
    #expect(try gate.denied(demand(output: 1), for: call("a")).reason == .contended)
    let refused = claimed("a")
    try answer(refused, .refused, begun: 1, permitted: 1)
    let denial = try gate.denied(demand(output: 1), for: call("a"))
    #expect(denial.reason == .contended && denial.unit == .conversations)
    #expect((denial.limit, denial.used, denial.held, denial.remaining) == (2, 1, 1, 0))
    #expect(gate.takeEvents().exceeded.isEmpty, "the plan isn't used up")
    try answer(refused, .refused, begun: 2)
    #expect(try gate.denied(demand(output: 1), for: call("a")).reason == .conversationLimit)
    #expect(gate.takeEvents().exceeded.count == 1)
    #expect(gate.state.hasNoConversationsLeft(for: "acme", at: gate.now))
    gate.state.end(try #require(refused))
    #expect(returned() == [], "it was given none")
  }

  @Test("What others have begun goes on here without a permit")
  mutating func begunElsewhere() throws {
    let claim = claimed("a")
    try answer(claim, .begun, begun: 2)
    try gate.release(gate.held(demand(output: 1), for: call("a")))
    gate.state.end(try #require(claim))
    #expect(claimed("a") == nil)
    #expect(returned() == [])
  }

  @Test("A permit is given back when its last call has begun nothing")
  mutating func givesBack() throws {
    let first = try permitted("a")
    let second = try permitted("a")
    try gate.release(first)
    #expect(returned() == [])
    try gate.release(second)
    #expect(returned() == ["a"])
    let third = try permitted("a")
    let waiting = try #require(claimed("a"))
    try gate.release(third)
    #expect(returned() == [], "one that asks to be let in uses it too")
    gate.state.end(waiting)
    #expect(gate.state.hasUnusedPermits)
    #expect(returned() == ["a"])
  }

  @Test("What may have been permitted and wasn't told is given back, under its own number")
  mutating func lostAnswer() throws {
    let lost = try #require(claimed("a"))
    gate.state.end(lost)
    let back = gate.state.takeUnusedPermits()
    #expect(back.map(\.number) == [try #require(lost.request).number])
    gate.state.notGivenBack(back)
    let again = try #require(claimed("a")?.request)
    #expect(again.number != back.first?.number)
    #expect(gate.state.takeUnusedPermits() == back)
  }

  @Test("Permits that are void let nothing in, also those answered too late")
  mutating func void() throws {
    let asked = claimed("a")
    let held = try permitted("b")
    gate.state.voidLeases(at: gate.now)
    try answer(asked, .permitted, permitted: 2)
    for name in ["a", "b"] {
      #expect(try gate.denied(demand(output: 1), for: call(name)).reason == .contended)
    }
    gate.state.end(try #require(asked))
    try gate.release(held)
    #expect(returned() == [], "others have ended them")
  }

  @Test("A permit of a period that has ended lets nothing in, and is given back with its last call")
  mutating func period() throws {
    let late = try permitted("a")
    gate.now = try #require(Timestamp(rfc3339: "2026-12-01T00:00:00Z"))
    let request = try #require(claimed("a")?.request)
    #expect(request.key.windowStart == gate.now)
    #expect(try gate.denied(demand(output: 1), for: call("a")).reason == .contended)
    try gate.release(late)
    let back = gate.state.takeUnusedPermits()
    #expect(back.map(\.key.windowStart) == [Timestamp(rfc3339: "2026-11-01T00:00:00Z")])
  }

  @Test("A limit that is gone leaves no permit behind")
  mutating func unlimited() throws {
    let grant = try permitted("a")
    gate.state.limitConversations([], at: gate.now)
    #expect(claimed("a") == nil)
    try gate.release(grant)
    #expect(returned() == ["a"])
  }

  @Test("One that waits for a budget keeps its permit meanwhile")
  mutating func waits() throws {
    gate = Turnstile([budget(.tokens(10))], sharesLimits: true)
    limit(1)
    let claim = try #require(claimed("a"))
    try answer(claim, .permitted, permitted: 1)
    let ticket = try gate.waiting(demand(output: 1), for: call("a"))
    #expect(returned() == [])
    try gate.apply(.expire(ticket))
    gate.state.end(claim)
    #expect(returned() == ["a"])
  }
}
