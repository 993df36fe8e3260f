import Budgets
import Money
import Testing
import Time

@Suite("Status")
struct StatusTests {
  @Test("An account shows every figure of its two units")
  func figures() throws {
    var gate = Turnstile(
      [budget(.both(tokens: 1_000_000, cost: reais("500")))], rates: brlRates)
    let settled = Consumption(tokens: 850_000, cost: ExactAmount(within: reais("450"), rate: rate))
    _ = try gate.apply(.record(caller(), settled, brlRates))
    let held = demand(
      output: 4_210, fixedCost: microDollars(1_851), outputTokenCost: .zero, rates: brlRates)
    _ = try gate.held(held)
    let status = try gate.status()
    #expect(status.limitTokens == 1_000_000 && status.limitCost == reais("500"))
    #expect(status.settledTokens == 850_000 && status.settledCost == reais("450"))
    #expect(status.heldTokens == 4_210 && status.heldCost == reais("0.0099954"))
    #expect(status.remainingTokens == 145_790 && status.remainingCost == reais("49.9900046"))
    #expect(status.tokenShare?.permille == 850 && status.costShare?.permille == 900)
    #expect(status.share?.permille == 900 && status.level == .critical)
    #expect(status.pause == nil && status.raise == nil && status.waiting == 0)
  }

  struct Level: Sendable {
    let used: Int64
    let level: AccountStatus.Level
  }

  @Test(
    "The level follows the exact share",
    arguments: [
      Level(used: 0, level: .ok), Level(used: 7_999, level: .ok),
      Level(used: 8_000, level: .attention), Level(used: 8_999, level: .attention),
      Level(used: 9_000, level: .critical), Level(used: 9_999, level: .critical),
      Level(used: 10_000, level: .exceeded), Level(used: 20_000, level: .exceeded),
    ])
  func level(_ row: Level) throws {
    var gate = Turnstile([budget(.tokens(10_000))])
    try gate.apply(.record(caller(), use(row.used), .usdOnly))
    #expect(try gate.status().level == row.level)
    #expect(try gate.status().pause == (row.level == .exceeded ? .limit(.tokens) : nil))
  }

  @Test("A refusal that left too little pauses by the limit, until a request fits again")
  func pausedByLimit() throws {
    var gate = Turnstile([budget(.tokens(1_000))])
    try gate.settle(gate.held(demand(output: 800)), use(800))
    _ = try gate.denied(demand(output: 300))
    #expect(try gate.status().pause == .limit(.tokens) && gate.status().level == .exceeded)
    _ = try gate.held(demand(output: 100))
    #expect(try gate.status().pause == nil)
  }

  @Test("A refusal that left enough for an answer doesn't pause")
  func notPaused() throws {
    var gate = Turnstile([budget(.tokens(1_000))])
    _ = try gate.denied(demand(output: 1_001))
    #expect(try gate.status().pause == nil)
  }

  @Test("Subjects are listed fullest first, and the fullest stands for the budget")
  func fullestFirst() throws {
    var gate = Turnstile([budget(per: .user, .tokens(100))])
    #expect(try gate.status().subject.description == "user:")
    for (user, tokens) in [("a", 10), ("b", 70), ("c", 70), ("d", 90)] as [(String, Int64)] {
      try gate.apply(.record(caller(user: user), use(tokens), .usdOnly))
    }
    let id = BudgetID(client: "acme", name: "b")
    let subjects = try gate.state.subjects(of: id, at: gate.now)
    #expect(subjects.map(\.subject.value) == ["d", "b", "c", "a"])
    #expect(try gate.status().subject.value == "d")
  }

  @Test("Looking changes nothing, and shows an ended window as the next request will find it")
  func looking() throws {
    var gate = Turnstile([budget(.tokens(100), period: .daily)])
    let running = try gate.held(demand(output: 60))
    gate.now = try #require(Timestamp(rfc3339: "2026-11-23T00:00:00Z"))
    let status = try gate.status()
    #expect(status.heldTokens == 0 && status.remainingTokens == 100)
    #expect(status.window.start == gate.now)
    gate.now = morning
    #expect(try gate.status().heldTokens == 60)
    try gate.release(running)
  }

  @Test(
    "A share is exact, rounded down, and full where nothing is allowed",
    arguments: [
      (0, 100, 0), (899, 1_000, 899), (89_996, 100_000, 899), (1, 3, 333), (3, 2, 1_500),
      (0, 0, 1_000), (.max, .max, 1_000),
    ] as [(Int64, Int64, Int)])
  func share(used: Int64, limit: Int64, permille: Int) {
    let share = Share(used: used, limit: limit)
    #expect(share.permille == permille)
    #expect(share.reaches(percent: permille / 10))
    #expect(!share.reaches(percent: permille / 10 + 1))
  }

  private let rate = FixedDecimal(scaled: 5_400_000_000_000)
}
