import Budgets
import Money
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

  @Test("The first refusal of a period is reported, and after a reset of the plan the next one")
  func reported() throws {
    let plan = BudgetDefinition(
      id: .plan(of: "acme"), per: .client, limit: .tokens(1_000), period: .monthly,
      timeZone: .utc, enforcement: .hard, alerts: [])
    var gate = try gate(limit: 0, [plan])
    func reports() throws -> Int {
      for name in ["a", "b"] { _ = try gate.denied(demand(output: 1), for: call(name)) }
      return gate.takeEvents().exceeded.filter { $0.unit == .conversations }.count
    }
    #expect(try reports() == 1)
    #expect(try reports() == 0)
    try gate.apply(.reset(Target(budget: plan.id), .keep))
    #expect(try reports() == 1)
    gate.now = try #require(Timestamp(rfc3339: "2026-12-01T00:00:00Z"))
    #expect(try reports() == 1)
    // Tokens are a limit of their own.
    _ = try gate.denied(demand(output: 1_001))
    #expect(gate.takeEvents().exceeded.map(\.unit) == [.tokens])
  }

  @Test("A refusal that waited is reported too")
  func reportedAfterWaiting() throws {
    var gate = try gate(limit: 1, [budget(.tokens(10))])
    let first = try gate.held(demand(output: 10), for: call(""))
    _ = try gate.waiting(demand(output: 1), for: call("late"))
    try gate.apply(.begin(conversations: ["early"], client: "acme"))
    try gate.settle(first, use(1))
    #expect(gate.takeEvents().exceeded.map(\.unit) == [.conversations])
  }

  @Test(
    "What was reported before a start isn't reported again in its period",
    arguments: [("2026-11-01T00:00:00Z", 0), ("2026-10-01T00:00:00Z", 1)])
  func restored(windowStart: String, reports: Int) throws {
    var gate = try gate(limit: 0)
    let reported = ReportedAlerts(
      budget: .plan(of: "acme"), subject: Subject(kind: .client, value: "acme"),
      windowStart: try #require(Timestamp(rfc3339: windowStart)), highestPercent: 0,
      hasRefused: false, hasRefusedConversation: true)
    #expect(gate.state.restore([reported], at: gate.now).isEmpty)
    _ = try gate.denied(demand(output: 1), for: call("a"))
    #expect(gate.takeEvents().exceeded.count == reports)
  }

  @Test("A plan without tokens stands like a budget that counts, and pauses when none may begin")
  func status() throws {
    var gate = try gate(limit: 2)
    func status() throws -> AccountStatus {
      try #require(
        gate.state.conversationStatus(
          of: "acme", used: Spend(tokens: 7, nanoUnits: 3), in: .usd, at: gate.now))
    }
    try gate.apply(.begin(conversations: ["a"], client: "acme"))
    #expect(try status().share?.permille == 500)
    #expect(try status().pause == nil)
    try gate.apply(.begin(conversations: ["b"], client: "acme"))
    let full = try status()
    #expect((full.level, full.pause) == (.exceeded, .conversations))
    #expect((full.settledTokens, full.limitTokens) == (7, nil))
    #expect(full.window.end == Timestamp(rfc3339: "2026-12-01T00:00:00Z"))
    #expect(
      gate.state.conversationStatus(of: "globex", used: .zero, in: .usd, at: gate.now) == nil)
  }
}
