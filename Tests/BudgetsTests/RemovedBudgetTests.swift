import Money
import Testing
import Time

@testable import Budgets

@Suite("Budgets that are removed and come back")
struct RemovedBudgetTests {
  private static let limited = budget(.tokens(100))

  @Test("Use outlives its budget, and counts when the budget comes back")
  func comesBack() throws {
    var gate = Turnstile([Self.limited])
    try gate.settle(gate.held(demand(output: 60)), use(60))
    try gate.configure([])
    try gate.configure([Self.limited])
    #expect(try gate.status().settledTokens == 60)
    #expect(try gate.denied(demand(output: 41)).used == 60)
    _ = try gate.held(demand(output: 40))
    #expect(gate.state.checkInvariants().isEmpty)
  }

  @Test("What is held when a budget is removed is counted in its use, whenever it ends")
  func holdsEndMeanwhileOrLater() throws {
    var gate = Turnstile([Self.limited])
    let (first, second) = (try gate.held(demand(output: 30)), try gate.held(demand(output: 20)))
    try gate.configure([])
    let charge = try #require(try gate.settle(first, use(30)).charges.first)
    #expect(charge.budget == Self.limited.id && charge.tokens == 30)
    try gate.configure([Self.limited])
    #expect(try gate.status().settledTokens == 30 && gate.status().heldTokens == 20)
    try gate.settle(second, use(20))
    #expect(try gate.status().settledTokens == 50 && gate.status().heldTokens == 0)
    #expect(try gate.status().window == charge.window)
  }

  @Test("Use is forgotten when its window ends, while the budget is gone")
  func endsWithItsWindow() throws {
    var gate = Turnstile([Self.limited])
    try gate.settle(gate.held(demand(output: 60)), use(60))
    try gate.configure([])
    #expect(gate.state.subjectCount == 1)
    // A clock may be set back by a day.
    gate.now = Timestamp(rfc3339: "2026-12-02T00:00:01Z")!
    try gate.configure([])
    #expect(gate.state.subjectCount == 0)
    try gate.configure([Self.limited])
    #expect(try gate.status().settledTokens == 0)
  }

  @Test(
    "A budget that counts otherwise for a while goes on with what it had counted before",
    arguments: [budget(.tokens(100), period: .daily), budget(per: .user, .tokens(100))])
  func changesAndChangesBack(_ other: BudgetDefinition) throws {
    var gate = Turnstile([Self.limited])
    try gate.settle(gate.held(demand(output: 60)), use(60))
    try gate.configure([other])
    #expect(try gate.status().settledTokens == 0)
    try gate.settle(gate.held(demand(output: 10)), use(10))
    try gate.configure([Self.limited])
    #expect(try gate.status().settledTokens == 60)
  }

  @Test("A budget of another name, or that was never used, counts from now")
  func others() throws {
    var gate = Turnstile([Self.limited])
    try gate.settle(gate.held(demand(output: 60)), use(60))
    try gate.configure([])
    gate.now = gate.now.advanced(by: .seconds(60))
    try gate.configure([budget("other", .tokens(100))])
    #expect(try gate.status("other").settledTokens == 0)
    #expect(try gate.status("other").window.start == gate.now)
  }

  @Test("A pause and a raise go with their budget, and wait to be set again")
  func controls() throws {
    var gate = Turnstile([Self.limited])
    let target = Target(budget: Self.limited.id)
    let raise = Raise(
      amount: Spend(tokens: 900, nanoUnits: 0), until: gate.now.advanced(by: .seconds(9_000)))
    try gate.settle(gate.held(demand(output: 60)), use(60))
    try gate.apply(.raise(target, raise))
    try gate.apply(.pause(target))
    try gate.configure([])
    try gate.configure([Self.limited])
    #expect(try gate.status().pause == nil && gate.status().limitTokens == 100)
  }

  @Test("After a restart, recorded use of a removed budget counts when the budget comes back")
  func afterARestart() throws {
    var gate = Turnstile([])
    let recorded = BudgetConfigurationTests.recorded()
    #expect(gate.state.restore([recorded], at: gate.now) == 0)
    let hold = gate.state.restore(
      RecordedHold(
        bound: use(10), estimate: use(10),
        places: [
          RecordedHold.Place(
            budget: recorded.budget, subject: recorded.subject, period: recorded.period,
            window: recorded.window)
        ]), at: gate.now)
    try gate.settle(hold, use(10))
    let definition = budget(.tokens(100), alerts: [50, 80])
    try gate.configure([definition])
    #expect(try gate.status().settledTokens == 70)
    #expect(try gate.status().window == BudgetConfigurationTests.window)
    // A threshold that was reached before is no news.
    try gate.settle(gate.held(demand(output: 15)), use(15))
    #expect(gate.takeEvents().thresholds.map(\.percent) == [80])
    #expect(gate.state.checkInvariants().isEmpty)
  }

  @Test("Use that was cleared while its budget was gone stays cleared", arguments: [false, true])
  func clearedMeanwhile(ofOneSubject: Bool) throws {
    var gate = Turnstile([Self.limited])
    try gate.settle(gate.held(demand(output: 60)), use(60))
    try gate.configure([])
    gate.now = gate.now.advanced(by: .seconds(60))
    try gate.configure([Self.limited])
    let subject = Subject(kind: .client, value: "acme")
    gate.state.restoreClearing(
      of: Target(budget: Self.limited.id, subject: ofOneSubject ? subject : nil), at: gate.now,
      now: gate.now)
    #expect(try gate.status().settledTokens == 0)
    #expect(try gate.status().window.start == gate.now)
  }

  @Test("Where limits are shared, a budget comes back in the window that all replicas count in")
  func shared() throws {
    var gate = Turnstile([Self.limited], sharesLimits: true)
    let policy = BudgetPolicy(rates: .usdOnly, sharesLimits: true)
    gate.state.restore([BudgetConfigurationTests.recorded()], at: gate.now)
    try gate.apply(.configure([], policy))
    gate.now = gate.now.advanced(by: .seconds(60))
    try gate.apply(.configure([Self.limited], policy))
    #expect(try gate.status().settledTokens == 60)
    #expect(try gate.status().window == BudgetConfigurationTests.window)
    var events: [Event] = []
    let requests = gate.state.leaseRequests(
      for: demand(output: 10), of: caller(), at: gate.now, events: &events)
    #expect(requests.first?.wanted.tokens == 10)
    #expect(gate.state.checkInvariants().isEmpty)
  }

  @Test("Absurd bounds that credits pay are held and ended without a trap")
  func absurdBounds() throws {
    let plan = BudgetDefinition(
      id: .plan(of: "acme"), per: .client, limit: .tokens(10), period: .monthly, timeZone: .utc,
      enforcement: .hard, alerts: [])
    var gate = Turnstile([plan])
    let money = Money(nanoUnits: 1_000, currency: .usd)
    try gate.apply(
      .takeCredits([Credit(id: 1, client: "acme", granted: .money(money), expiresAt: nil)]))
    // A model that costs nothing, asked for more than can be counted.
    let absurd = demand(output: .max, choices: 2, outputTokenCost: .zero)
    let grants = try (0..<3).map { _ in try gate.held(absurd) }
    for grant in grants { try gate.settle(grant, use(.max)) }
    _ = gate.hold(demand(output: .max, explicit: false, outputTokenCost: .zero))
    #expect(gate.state.checkInvariants().isEmpty)
  }
}
