import Budgets
import Money
import Testing
import Time

@Suite("Settlement")
struct SettlementTests {
  @Test("Every budget that applies is charged tokens and money, whichever it limits")
  func charges() throws {
    var gate = Turnstile(
      [budget("tokens", .tokens(1_000)), budget("cost", .cost(reais("1")))], rates: brlRates)
    let grant = try gate.held(demand(output: 100, rates: brlRates))
    let charges = try gate.settle(grant, use(40, microDollars: 40)).charges
    #expect(charges.map(\.budget.name) == ["tokens", "cost"])
    for charge in charges {
      #expect(charge.subject.description == "client:acme")
      #expect(charge.period == .monthly)
      #expect(charge.window.start == Timestamp(rfc3339: "2026-11-01T00:00:00Z"))
      #expect(charge.window.end == Timestamp(rfc3339: "2026-12-01T00:00:00Z"))
      #expect(charge.tokens == 40 && charge.cost == reais("0.000216"))
    }
  }

  @Test("A hold ends once")
  func once() throws {
    var gate = Turnstile([budget(.tokens(100))])
    let first = try gate.held(demand(output: 10))
    try gate.release(first)
    #expect(throws: BudgetError.unknownHold) { try gate.settle(first, use(1)) }
    let second = try gate.held(demand(output: 10))
    #expect(throws: BudgetError.unknownHold) { try gate.release(first) }
    try gate.settle(second, use(1))
    #expect(try gate.status().settledTokens == 1)
  }

  @Test("Without a budget a request goes, and is charged to nobody")
  func noBudget() throws {
    var gate = Turnstile([budget(.tokens(1))])
    let grant = try gate.held(demand(output: 10_000), for: caller("globex"))
    #expect(grant.clampedOutput == nil && grant.tightest == nil)
    #expect(try gate.settle(grant, use(10_000)).charges.isEmpty)
  }

  @Test("What a request uses above its hold is counted, and told as an overrun")
  func overrun() throws {
    var gate = Turnstile([
      budget(.both(tokens: 100, cost: Money(nanoUnits: 90_000, currency: .usd)))
    ])
    let grant = try gate.held(demand(output: 90))
    let charges = try gate.settle(grant, use(130, microDollars: 50)).charges
    #expect(charges.first?.tokens == 130)
    let overrun = try #require(gate.takeEvents().overruns.first)
    #expect(overrun.excess == Spend(tokens: 40, nanoUnits: 0))
    #expect(try gate.status().settledTokens == 130)
    #expect(try gate.denied(demand(output: 0)).remaining == 0)
  }

  @Test("Use counts in the window in which the hold was taken")
  func rolledOver() throws {
    var gate = Turnstile([budget(.tokens(100), period: .daily)])
    let yesterday = try gate.held(demand(output: 100))
    gate.now = try #require(Timestamp(rfc3339: "2026-11-23T00:00:00Z"))
    #expect(try gate.status().heldTokens == 0)
    let today = try gate.held(demand(output: 100))
    let charge = try #require(try gate.settle(yesterday, use(70)).charges.first)
    #expect(charge.window.start == Timestamp(rfc3339: "2026-11-22T00:00:00Z"))
    #expect(try gate.status().settledTokens == 0 && gate.status().heldTokens == 100)
    try gate.settle(today, use(20))
    #expect(try gate.status().settledTokens == 20)
  }

  @Test("A clock that steps back opens no window again")
  func clockStepsBack() throws {
    var gate = Turnstile([budget(.tokens(100), period: .daily)])
    try gate.settle(gate.held(demand(output: 60)), use(60))
    gate.now = try #require(Timestamp(rfc3339: "2026-11-23T00:00:01Z"))
    try gate.settle(gate.held(demand(output: 70)), use(70))
    gate.now = morning
    #expect(try gate.denied(demand(output: 31)).used == 70)
  }

  @Test("What was used before midnight is known after it, for a clock that steps back")
  func stepsBackIntoForgottenWindow() throws {
    var gate = Turnstile([
      budget(.tokens(100), period: .daily),
      budget("many", client: "globex", per: .user, .tokens(100), period: .daily),
    ])
    try gate.settle(gate.held(demand(output: 60)), use(60))
    gate.now = try #require(Timestamp(rfc3339: "2026-11-23T00:00:01Z"))
    // New subjects have the old ones looked through.
    for user in 0..<10 {
      _ = try gate.held(demand(output: 1), for: caller("globex", user: "\(user)"))
    }
    gate.now = morning
    #expect(try gate.denied(demand(output: 41)).used == 60)
  }

  @Test("Each threshold is told once for a window, also when one settlement passes several")
  func thresholds() throws {
    var gate = Turnstile([budget(.tokens(1_000), period: .daily, alerts: [50, 80, 90, 100])])
    try gate.settle(gate.held(demand(output: 499)), use(499))
    #expect(gate.takeEvents().thresholds.isEmpty)
    try gate.settle(gate.held(demand(output: 401)), use(401))
    #expect(gate.takeEvents().thresholds.map(\.percent) == [50, 80, 90])
    try gate.settle(gate.held(demand(output: 50)), use(50))
    #expect(gate.takeEvents().thresholds.isEmpty)
    try gate.settle(gate.held(demand(output: 50)), use(50))
    let last = try #require(gate.takeEvents().thresholds.first)
    #expect(last.percent == 100 && last.used == 1_000 && last.limit == 1_000)
    #expect(last.unit == .tokens && last.subject.description == "client:acme")
    gate.now = try #require(Timestamp(rfc3339: "2026-11-23T00:00:00Z"))
    try gate.settle(gate.held(demand(output: 500)), use(500))
    #expect(gate.takeEvents().thresholds.map(\.percent) == [50])
  }

  @Test("The first refusal of a window is told once")
  func exceeded() throws {
    var gate = Turnstile([budget(.tokens(100), period: .daily)])
    _ = try gate.denied(demand(output: 101))
    #expect(gate.takeEvents().exceeded.count == 1)
    _ = try gate.denied(demand(output: 101))
    #expect(gate.takeEvents().exceeded.isEmpty)
    gate.now = try #require(Timestamp(rfc3339: "2026-11-23T00:00:00Z"))
    _ = try gate.denied(demand(output: 101))
    #expect(gate.takeEvents().exceeded.count == 1)
  }

  @Test("Use from outside is never refused, and leaves a budget above its limit")
  func fromOutside() throws {
    var gate = Turnstile([budget(.tokens(100), alerts: [100])])
    let running = try gate.held(demand(output: 60))
    let ticket = try gate.waiting(demand(output: 50))
    guard case .settlement(let settlement) = try gate.apply(.record(caller(), use(250), .usdOnly))
    else {
      Issue.record("use is answered by a settlement")
      return
    }
    #expect(settlement.charges.map(\.tokens) == [250])
    let events = gate.takeEvents()
    #expect(events.thresholds.map(\.percent) == [100])
    #expect(events.denied.map(\.ticket) == [ticket])
    try gate.settle(running, use(60))
    #expect(try gate.denied(demand(output: 1)).used == 310)
  }

  @Test("A hold that was dropped counts as fully used")
  func abandoned() throws {
    var gate = Turnstile([budget(.tokens(100))])
    let grant = try gate.held(demand(input: 10, output: 30))
    try gate.apply(.abandon(grant.hold))
    #expect(gate.state.abandonedHolds == 1)
    #expect(try gate.status().settledTokens == 40 && gate.status().heldTokens == 0)
  }

  @Test("Subjects whose window has ended are forgotten while new ones come")
  func forgetting() throws {
    var gate = Turnstile([budget(per: .conversation, .tokens(100), period: .daily)])
    for day in 0..<20 {
      for number in 0..<100 {
        let who = caller(conversation: "\(day)-\(number)")
        try gate.settle(gate.held(demand(output: 10), for: who), use(10))
      }
      gate.now = gate.now.advanced(by: .seconds(86_400))
    }
    #expect(gate.state.subjectCount <= 300)
    #expect(gate.state.checkInvariants().isEmpty)
  }
}
