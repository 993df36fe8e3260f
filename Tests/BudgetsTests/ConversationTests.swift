import Budgets
import Testing
import Time

@Suite("Conversations of a plan")
struct ConversationTests {
  private func gate(limit: Int64, _ budgets: [BudgetDefinition] = []) throws -> Turnstile {
    var gate = Turnstile(budgets)
    try gate.apply(
      .limitConversations([
        ConversationLimit(client: "acme", limit: limit, period: .monthly, timeZone: .utc)
      ]))
    return gate
  }

  private func call(_ conversation: String) -> Caller { caller(conversation: conversation) }

  @Test("So many may begin; those that have go on, and calls without one count none")
  func limit() throws {
    var gate = try gate(limit: 2)
    for name in ["a", "b", "a"] {
      try gate.settle(gate.held(demand(output: 1), for: call(name)), use(1))
    }
    let denial = try gate.denied(demand(output: 1), for: call("c"))
    #expect(denial.reason == .conversationLimit && denial.unit == .conversations)
    #expect((denial.limit, denial.used, denial.held, denial.requested) == (2, 2, 0, 1))
    #expect(denial.resetAt == Timestamp(rfc3339: "2026-12-01T00:00:00Z"))
    _ = try gate.held(demand(output: 1), for: call("b"))
    _ = try gate.held(demand(output: 1), for: call(""))
    _ = try gate.held(demand(output: 1), for: caller("globex", conversation: "c"))
  }

  @Test("Two first calls of one conversation hold it once")
  func heldOnce() throws {
    var gate = try gate(limit: 1)
    let first = try gate.held(demand(output: 1), for: call("a"))
    let second = try gate.held(demand(output: 1), for: call("a"))
    #expect(try gate.denied(demand(output: 1), for: call("b")).held == 1)
    try gate.release(first)
    #expect(try gate.denied(demand(output: 1), for: call("b")).held == 1)
    try gate.release(second)
    _ = try gate.held(demand(output: 1), for: call("b"))
  }

  @Test("What never reached a provider begins nothing")
  func released() throws {
    var gate = try gate(limit: 1)
    try gate.release(try gate.held(demand(output: 1), for: call("a")))
    try gate.settle(gate.held(demand(output: 1), for: call("b")), use(0))
    #expect(try gate.denied(demand(output: 1), for: call("a")).used == 1)
  }

  @Test("A request that waited may not begin what others have begun meanwhile")
  func waited() throws {
    var gate = try gate(limit: 1, [budget(.tokens(10))])
    let first = try gate.held(demand(output: 10), for: call(""))
    let ticket = try gate.waiting(demand(output: 1), for: call("late"))
    try gate.apply(.begin(conversations: ["early"], client: "acme"))
    try gate.settle(first, use(1))
    let denied = try #require(gate.takeEvents().denied.first)
    #expect(denied.ticket == ticket && denied.denial.reason == .conversationLimit)
  }

  @Test("A new period counts from nothing, and what began before ends in its own")
  func period() throws {
    var gate = try gate(limit: 1)
    let late = try gate.held(demand(output: 1), for: call("a"))
    gate.now = try #require(Timestamp(rfc3339: "2026-12-01T00:00:00Z"))
    try gate.settle(late, use(1))
    try gate.settle(gate.held(demand(output: 1), for: call("b")), use(1))
    #expect(try gate.denied(demand(output: 1), for: call("a")).used == 1)
  }

  @Test("What was recorded counts; a limit of nought lets none begin")
  func recorded() throws {
    var gate = try gate(limit: 2)
    try gate.apply(.begin(conversations: ["a", "b"], client: "acme"))
    #expect(gate.state.hasNoConversationsLeft(for: "acme", at: gate.now))
    #expect(try gate.denied(demand(output: 1), for: call("c")).used == 2)
    var none = try self.gate(limit: 0)
    #expect(try none.denied(demand(output: 1), for: call("a")).limit == 0)
  }
}
