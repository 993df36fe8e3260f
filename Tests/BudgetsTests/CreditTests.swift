import Budgets
import Money
import Randomness
import Testing
import Time

@Suite("Credits")
struct CreditTests {
  private func gate(
    plan tokens: Int64 = 100, _ credits: [Credit], rates: ExchangeRates = .usdOnly
  ) throws -> Turnstile {
    var gate = Turnstile([plan(tokens)], rates: rates)
    try gate.apply(.takeCredits(credits))
    return gate
  }

  private func plan(_ tokens: Int64, period: BudgetPeriod = .monthly) -> BudgetDefinition {
    budget("plan", .tokens(tokens), period: period)
  }

  private func tokens(_ id: Int64, _ tokens: Int64, expires: String? = nil) -> Credit {
    Credit(
      id: id, client: "acme", granted: .tokens(tokens),
      expiresAt: expires.flatMap { Timestamp(rfc3339: $0) })
  }

  private func dollars(_ id: Int64, micro: Int64, expires: String? = nil) -> Credit {
    Credit(
      id: id, client: "acme", granted: .money(Money(nanoUnits: micro * 1_000, currency: .usd)),
      expiresAt: expires.flatMap { Timestamp(rfc3339: $0) })
  }

  @Test("The plan pays first; one request may end it and begin a credit")
  func endsThePlan() throws {
    var gate = try gate([tokens(1, 50)])
    let grant = try gate.held(demand(output: 130))
    #expect(try gate.status("plan").limitTokens == 150)
    let settlement = try gate.settle(grant, use(120))
    #expect(settlement.draws == [CreditDraw(credit: 1, tokens: 20, cost: nil)])
    #expect(settlement.charges.map(\.tokens) == [120])
    let denial = try gate.denied(demand(output: 31))
    #expect((denial.limit, denial.used, denial.remaining) == (150, 120, 30))
    #expect(try gate.settle(gate.held(demand(output: 30)), use(30)).draws.map(\.tokens) == [30])
    #expect(try gate.denied(demand(output: 1)).reason == .tokenLimit)
  }

  @Test("What a hold didn't use of a credit is free again")
  func givesBack() throws {
    var gate = try gate([tokens(1, 50)])
    let first = try gate.held(demand(output: 150))
    _ = try gate.waiting(demand(output: 1))
    try gate.release(first)
    let second = try #require(gate.takeEvents().admitted.first).grant
    #expect(try gate.settle(second, use(1)).draws.isEmpty)
    #expect(try gate.settle(gate.held(demand(output: 149)), use(149)).draws.map(\.tokens) == [50])
  }

  @Test("The soonest to expire is drawn first, of those tokens before money, of those the oldest")
  func order() throws {
    var gate = try gate(
      plan: 0,
      [
        dollars(1, micro: 10), tokens(2, 10), tokens(3, 10, expires: "2026-12-01T00:00:00Z"),
        dollars(4, micro: 10, expires: "2026-11-25T00:00:00Z"), tokens(5, 10),
      ])
    let settlement = try gate.settle(gate.held(demand(output: 50)), use(50, microDollars: 50))
    #expect(settlement.draws.map(\.credit) == [4, 3, 2, 5, 1])
    #expect(settlement.draws.map(\.tokens) == [10, 10, 10, 10, 10])
    #expect(settlement.draws.map { $0.cost?.nanoUnits } == [10_000, nil, nil, nil, 10_000])
    #expect(try gate.denied(demand(output: 1)).reason == .tokenLimit)
  }

  @Test("An expired credit pays for nothing new, and for what was held before")
  func expires() throws {
    var gate = try gate(plan: 0, [tokens(1, 50, expires: "2026-11-23T00:00:00Z")])
    let grant = try gate.held(demand(output: 40))
    gate.now = gate.now.advanced(by: .seconds(86_400))
    #expect(try gate.denied(demand(output: 1)).remaining == 0)
    #expect(try gate.settle(grant, use(40)).draws.map(\.tokens) == [40])
  }

  @Test("Money pays tokens at the request's own price, in its own currency")
  func money() throws {
    let credit = Credit(
      id: 1, client: "acme", granted: .money(Money(nanoUnits: 540_000, currency: brl)),
      expiresAt: nil)
    var gate = try gate(plan: 0, [credit], rates: brazilianRates())
    // 540,000 nano-reais are 100 millionths of a dollar.
    #expect(
      try gate.denied(demand(output: 101, rates: brazilianRates())).affordableOutputTokens == 100)
    let open = demand(output: 1_000, explicit: false, recent: 20, rates: brazilianRates())
    #expect(try gate.held(open).clampedOutput == 40)
  }

  @Test("A hold's money is enough for whatever it uses within its bound")
  func moneySuffices() throws {
    var random = SplitMix64(seed: 7)
    for _ in 0..<500 {
      let plan = Int64.random(in: 0...200, using: &random)
      var gate = try gate(
        plan: plan,
        [
          dollars(1, micro: .random(in: 1...300, using: &random), expires: "2026-11-24T00:00:00Z"),
          tokens(2, .random(in: 1...300, using: &random)),
        ])
      let input = Int64.random(in: 0...200, using: &random)
      let output = Int64.random(in: 1...200, using: &random)
      let inputPrice = Int64.random(in: 0...3, using: &random)
      let asked = demand(
        input: input, output: output, fixedCost: microDollars(input * inputPrice),
        outputTokenCost: microDollars(5))
      guard case .held(let grant) = gate.hold(asked) else { continue }
      let usedInput = Int64.random(in: 0...input, using: &random)
      let usedOutput = Int64.random(in: 0...output, using: &random)
      let settlement = try gate.settle(
        grant,
        use(usedInput + usedOutput, microDollars: usedInput * inputPrice + usedOutput * 5))
      let paid = settlement.draws.reduce(0) { $0 + $1.tokens }
      #expect(paid == max(0, usedInput + usedOutput - plan))
      #expect(gate.state.checkInvariants().isEmpty)
    }
  }

  @Test("Credits widen the plan, and no other budget")
  func onlyThePlan() throws {
    var gate = Turnstile([plan(100), budget("other", .tokens(120))])
    try gate.apply(.takeCredits([tokens(1, 1_000)]))
    #expect(try gate.denied(demand(output: 121)).budget.name == "other")
    #expect(throws: Never.self) { try gate.held(demand(output: 120)) }
  }

  @Test("A new credit lets those go that wait for want of the plan")
  func newCredit() throws {
    var gate = try gate([])
    let grant = try gate.held(demand(output: 90))
    let ticket = try gate.waiting(demand(output: 20))
    try gate.apply(.takeCredits([tokens(1, 10)]))
    #expect(gate.takeEvents().admitted.map(\.ticket) == [ticket])
    #expect(try gate.settle(grant, use(90)).draws.isEmpty)
  }

  @Test("A new period begins with the whole plan; what credits have left stays")
  func newPeriod() throws {
    var gate = try gate([tokens(1, 50)])
    _ = try gate.settle(gate.held(demand(output: 120)), use(120))
    gate.now = try #require(Timestamp(rfc3339: "2026-12-01T00:00:00Z"))
    let status = try gate.status("plan")
    #expect((status.limitTokens, status.settledTokens) == (130, 0))
    #expect(try gate.settle(gate.held(demand(output: 110)), use(110)).draws.map(\.tokens) == [10])
  }

  @Test("Usage from outside draws credits too, as far as they go")
  func external() throws {
    var gate = try gate([tokens(1, 50)])
    guard case .settlement(let settlement) = try gate.apply(.record(caller(), use(500), .usdOnly))
    else {
      Issue.record("use is answered by a settlement")
      return
    }
    #expect(settlement.draws.map(\.tokens) == [50])
    #expect(try gate.denied(demand(output: 1)).used == 500)
  }

  @Test("A plan whose period moves counts what is recorded, with the holds that live")
  func movedPeriod() throws {
    var gate = try gate([tokens(1, 50)])
    _ = try gate.settle(gate.held(demand(output: 60)), use(60))
    let held = try gate.held(demand(output: 30))
    try gate.configure([plan(100, period: .monthsFrom(day: 10))])
    #expect(try gate.status("plan").settledTokens == 0)
    #expect(try gate.status("plan").heldTokens == 30)
    let start = try #require(Timestamp(rfc3339: "2026-11-10T00:00:00Z"))
    #expect(try gate.status("plan").window.start == start)
    let charge = try #require(try gate.settle(held, use(30)).charges.first)
    #expect(charge.window.start == start)
    try gate.apply(
      .recall([
        RecordedUse(
          budget: .plan(of: "acme"), subject: Subject(kind: .client, value: "acme"),
          period: "monthly", window: charge.window, tokens: 40,
          cost: Money(nanoUnits: 0, currency: .usd))
      ]))
    #expect(try gate.status("plan").settledTokens == 70)
  }
}
