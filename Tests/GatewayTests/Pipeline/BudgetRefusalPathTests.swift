import Budgets
import InMemory
import Ledger
import Money
import Pricing
import Testing

@testable import Gateway

/// Refusals by budgets as a client meets them: one for each way in which a budget can refuse.
@Suite("A budget that can't pay refuses before anything is forwarded", .timeLimit(.minutes(1)))
struct BudgetRefusalPathTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let sentence: String
    let code: String
    let reason: DenialReason
    let budgets: String
    var sharing = GatewayBench.Sharing.alone
    /// Tokens that were used before.
    var used: Int64 = 0

    var testDescription: String { "\(sentence), \(sharing)" }
  }

  private static let kinds = [
    Case(
      sentence: "a limit in tokens", code: "budget_exceeded", reason: .tokenLimit,
      budgets: "{ name: b, mode: tokens, tokens: 50, period: total }"),
    Case(
      sentence: "a limit in money", code: "budget_exceeded", reason: .costLimit,
      budgets: "{ name: b, mode: usd, cost: \"0.00005\", period: total }"),
    Case(
      sentence: "a monthly limit", code: "budget_exceeded", reason: .tokenLimit,
      budgets: "{ name: b, mode: tokens, tokens: 50, period: monthly }"),
    Case(
      sentence: "a limit of each user", code: "budget_exceeded", reason: .tokenLimit,
      budgets: "{ name: b, per: user, mode: tokens, tokens: 50, period: total }"),
    Case(
      sentence: "a limit of each key", code: "budget_exceeded", reason: .tokenLimit,
      budgets: "{ name: b, per: key, mode: tokens, tokens: 50, period: total }"),
    Case(
      sentence: "a limit of each model", code: "budget_exceeded", reason: .tokenLimit,
      budgets: "{ name: b, per: model, mode: tokens, tokens: 50, period: total }"),
    Case(
      sentence: "a soft limit that is used up", code: "budget_exceeded", reason: .tokenLimit,
      budgets: "{ name: b, mode: tokens, tokens: 100, period: total, enforcement: soft }",
      used: 100),
  ]

  static let cases = kinds.flatMap { kind in
    GatewayBench.Sharing.allCases.map { sharing in
      var other = kind
      other.sharing = sharing
      return other
    }
  }

  @Test("The client is told which limit, and a row says so", arguments: cases)
  func refused(_ given: Case) async throws {
    try await GatewayBench.run(given.sharing, budgets: given.budgets) { bench in
      if given.used > 0 { bench.use(given.used) }
      await bench.chat("\"user\": \"u1\"")
      let answer = await bench.client.answer()
      #expect((answer.status, answer.code) == (429, given.code))
      #expect(answer.fields["x-catraca-denied"] != nil)
      #expect(answer.fields["x-should-retry"] == "false")
      #expect(answer.text.contains("acme/b"))
      #expect(bench.ledger.denials.map(\.reason) == [given.reason])
      #expect(bench.ledger.denials.first?.budgetID == "acme/b")
      #expect(bench.provider.calls.isEmpty)
      #expect(bench.ledger.events == [])
      #expect(bench.heldTokens == 0)
    }
  }

  @Test("A shadow budget refuses nothing", arguments: GatewayBench.Sharing.allCases)
  func shadow(_ sharing: GatewayBench.Sharing) async throws {
    let budget = "{ name: b, mode: tokens, tokens: 1, period: total, enforcement: shadow }"
    try await GatewayBench.run(sharing, budgets: budget) { bench in
      bench.provider.script = [{ $0.answer(200, ProviderText.whole) }]
      await bench.chat()
      #expect(await bench.client.answer().status == 200)
      #expect(bench.ledger.denials == [])
      try bench.expect(\.settledTokens, 15)
    }
  }

  @Test("A paused budget refuses until it is resumed")
  func paused() async throws {
    let budget = "{ name: b, mode: tokens, tokens: 100000, period: total }"
    try await GatewayBench.run(budgets: budget) { bench in
      let target = Target(budget: BudgetID(client: "acme", name: "b"))
      let pause = BudgetControl(target: target, isPaused: true)
      bench.gateway.controller.apply(BudgetControls(controls: [pause], resets: []), replacing: [])
      await bench.chat()
      #expect(await bench.client.answer().code == "budget_paused")
      #expect(bench.ledger.denials.map(\.reason) == [.paused])
      bench.gateway.controller.apply(
        BudgetControls(controls: [], resets: []), replacing: [pause])
      bench.provider.script = [{ $0.answer(200, ProviderText.whole) }]
      await bench.chat()
      #expect(await bench.client.answer().status == 200)
    }
  }

  @Test("A plan's conversations are counted, and one that goes on isn't counted again")
  func conversations() async throws {
    try await GatewayBench.run(
      client: "plan: p", plans: "plans: { p: { display_name: P, monthly_conversations: 1 } }"
    ) { bench in
      bench.provider.script = Array(repeating: { $0.answer(200, ProviderText.whole) }, count: 2)
      for (conversation, status) in [("c1", 200), ("c1", 200), ("c2", 429)] {
        await bench.send(
          "/v1/chat/completions", RefusalTests.body, [("x-catraca-conversation", conversation)])
        #expect(await bench.client.answer().status == status)
      }
      #expect(bench.ledger.denials.map(\.reason) == [.conversationLimit])
    }
  }

  @Test("A request that nothing but holds keep from going waits for them to end")
  func waits() async throws {
    try await GatewayBench.run(budgets: Self.roomForOne) { bench in
      let other = try await Self.fill(bench)
      await bench.chat()
      await goRound(bench.loop)
      #expect(bench.provider.calls.count == 1)
      try bench.expect(\.waiting, 1)
      bench.provider.script = [{ $0.answer(200, ProviderText.whole) }]
      await bench.provider.next().answer(200, ProviderText.whole)
      #expect(await other.answer().status == 200)
      #expect(await bench.client.answer().status == 200)
      try bench.expect(\.settledTokens, 30)
    }
  }

  @Test("A request that has waited in vain is told that it may try again")
  func contended() async throws {
    try await GatewayBench.run(
      budgets: Self.roomForOne, main: "budgets: { admission_wait: 1ms }"
    ) { bench in
      let other = try await Self.fill(bench)
      await bench.chat()
      let answer = await bench.client.answer()
      #expect((answer.status, answer.code) == (429, "budget_contended"))
      #expect(answer.fields["x-should-retry"] == "true")
      #expect(answer.fields["retry-after"] == "1")
      #expect(bench.ledger.denials.map(\.reason) == [.budgetContended])
      await bench.provider.next().answer(200, ProviderText.whole)
      #expect(await other.answer().status == 200)
    }
  }

  @Test("A client that leaves while it waits gives its place up")
  func leaves() async throws {
    try await GatewayBench.run(budgets: Self.roomForOne) { bench in
      let other = try await Self.fill(bench)
      await bench.chat()
      await goRound(bench.loop)
      try bench.expect(\.waiting, 1)
      bench.client.hangUp()
      await goRound(bench.loop)
      try bench.expect(\.waiting, 0)
      await bench.provider.next().answer(200, ProviderText.whole)
      #expect(await other.answer().status == 200)
      #expect(bench.provider.calls.count == 1)
    }
  }

  /// A chat request may need 213 tokens.
  private static let roomForOne =
    "{ name: b, mode: tokens, tokens: 300, period: total, enforcement: hard }"

  /// Has another client's request of the same key hold what there is.
  private static func fill(_ bench: GatewayBench) async throws -> InMemoryClient {
    let other = try bench.connect()
    await other.send(
      "POST", "/v1/chat/completions", [("authorization", "Bearer \(GatewayBench.key)")],
      RefusalTests.body)
    while bench.provider.calls.isEmpty { await goRound(bench.loop) }
    return other
  }
}

extension GatewayBench {
  /// Counts use from outside in the client's budgets.
  fileprivate func use(_ tokens: Int64) {
    gateway.controller.change { state, now, events in
      _ = state.budgets.record(
        Consumption(tokens: tokens, cost: .zero), rates: gateway.rules().prices.rates,
        for: Caller(client: "acme", key: "web", user: "", conversation: "", model: ""), at: now,
        events: &events)
    }
  }
}
