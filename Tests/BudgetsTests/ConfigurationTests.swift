import Budgets
import Money
import Testing
import Time

@Suite("Configuration")
struct BudgetConfigurationTests {
  @Test("A budget that keeps its id, subject and period keeps what it has counted")
  func keeps() throws {
    var gate = Turnstile([budget(.tokens(100))])
    try gate.settle(gate.held(demand(output: 60)), use(60))
    try gate.configure([budget(.tokens(80), enforcement: .hard, alerts: [50])])
    #expect(try gate.status().settledTokens == 60)
    #expect(try gate.denied(demand(output: 21)).limit == 80)
  }

  @Test(
    "A budget that counts something else starts from now",
    arguments: [
      budget(.tokens(100), period: .daily), budget(per: .user, .tokens(100)),
      budget(.cost(Money(nanoUnits: 1_000_000_000, currency: brl))),
    ])
  func startsAgain(_ changed: BudgetDefinition) throws {
    var gate = Turnstile([budget(.tokens(100))], rates: brlRates)
    // The billing currency is BRL here: a limit in BRL counts on.
    let keeps = changed.limit.cost != nil
    let grant = try gate.held(demand(output: 60, rates: brlRates))
    try gate.configure([changed], rates: brlRates)
    let charge = try #require(try gate.settle(grant, use(60)).charges.first)
    #expect(charge.period == .monthly)
    #expect(try gate.status().settledTokens == (keeps ? 60 : 0))
    if !keeps {
      #expect(try gate.status().window.start == gate.now)
      #expect(try gate.status().heldTokens == 0)
    }
    #expect(gate.state.checkInvariants().isEmpty)
  }

  @Test("Holds survive the end of their budget, and end well")
  func removed() throws {
    var gate = Turnstile([budget("a", .tokens(100)), budget("b", .tokens(100))])
    let grant = try gate.held(demand(output: 60))
    let ticket = try gate.waiting(demand(output: 60))
    try gate.configure([budget("b", .tokens(1_000))])
    #expect(gate.takeEvents().admitted.map(\.ticket) == [ticket])
    #expect(throws: BudgetError.self) { try gate.status("a") }
    let charges = try gate.settle(grant, use(50)).charges
    #expect(charges.map(\.budget.name) == ["a", "b"])
    // The use of the removed budget is kept for its return.
    #expect(gate.state.subjectCount == 2)
  }

  @Test("Another limit decides anew about those who wait, in the order of arrival")
  func waiting() throws {
    var gate = Turnstile([budget(.tokens(100))])
    _ = try gate.held(demand(output: 100))
    let tickets = try [90, 50, 30].map { try gate.waiting(demand(output: $0)) }
    try gate.configure([budget(.tokens(60))])
    #expect(gate.takeEvents().denied.map(\.ticket) == [tickets[0]])
    try gate.configure([budget(.tokens(150))])
    #expect(gate.takeEvents().admitted.map(\.ticket) == [tickets[1]])
    try gate.configure([])
    #expect(gate.takeEvents().admitted.map(\.ticket) == [tickets[2]])
  }

  @Test("A currency without a rate is refused, and nothing has changed")
  func missingRate() throws {
    var gate = Turnstile([budget(.tokens(100))])
    let changed = [budget("new", .tokens(1)), budget(.cost(Money(nanoUnits: 1, currency: brl)))]
    #expect(throws: BudgetError.missingRate(brl, changed[1].id)) { try gate.configure(changed) }
    #expect(gate.state.definitions == [budget(.tokens(100))])
  }

  @Test("Another time zone moves the end of the window, and keeps the count")
  func timeZone() throws {
    var gate = Turnstile([budget("b", .tokens(100), period: .daily)])
    try gate.settle(gate.held(demand(output: 60)), use(60))
    try gate.configure([
      budget("b", .tokens(100), period: .daily, zone: zone("America/Sao_Paulo"))
    ])
    let status = try gate.status()
    #expect(status.settledTokens == 60)
    #expect(status.window.end == Timestamp(rfc3339: "2026-11-23T00:00:00-03:00"))
  }

  @Test("A pause by hand stays when the budget is replaced")
  func pauseStays() throws {
    var gate = Turnstile([budget(.tokens(100))])
    try gate.apply(.pause(Target(budget: budget(.tokens(0)).id)))
    try gate.configure([budget(.tokens(100), period: .daily)])
    #expect(try gate.denied(demand(output: 1)).reason == .paused)
  }

  // MARK: - What the ledger remembers

  static let window = BudgetWindow(
    start: Timestamp(rfc3339: "2026-11-01T00:00:00Z")!,
    end: Timestamp(rfc3339: "2026-12-01T00:00:00Z")!)

  static func recorded(
    _ subject: String = "client:acme", period: String = "monthly", window: BudgetWindow = window,
    tokens: Int64 = 60, currency: Currency = .usd
  ) -> RecordedUse {
    RecordedUse(
      budget: BudgetID(client: "acme", name: "b"), subject: Subject(text: subject)!,
      period: period, window: window, tokens: tokens,
      cost: Money(nanoUnits: 5, currency: currency))
  }

  @Test("What the ledger remembers of an open window counts, and alerts aren't repeated")
  func restores() throws {
    var gate = Turnstile([budget(.tokens(100), alerts: [50, 80])])
    try gate.apply(.restore([Self.recorded()]))
    #expect(try gate.status().settledTokens == 60 && gate.status().settledCost.nanoUnits == 5)
    #expect(try gate.status().window == Self.window)
    try gate.settle(gate.held(demand(output: 25)), use(25))
    #expect(gate.takeEvents().thresholds.map(\.percent) == [80])
  }

  @Test(
    "What belongs to another window, period, subject or currency doesn't count",
    arguments: [
      recorded("user:acme"), recorded(period: "30d"), recorded(currency: brl),
      recorded(
        window: BudgetWindow(start: Timestamp(milliseconds: 0), end: window.start)),
    ])
  func ignores(_ use: RecordedUse) throws {
    var gate = Turnstile([budget(.tokens(100))])
    #expect(gate.state.restore([use], at: gate.now) == 0)
    #expect(try gate.status().settledTokens == 0)
  }

  @Test("A window that a clock set back hasn't reached again stays open, within a day")
  func clockSetBack() throws {
    func restored(setBackBy duration: Duration) throws -> Int64 {
      var gate = Turnstile([budget(.tokens(100), period: .daily)])
      gate.now = Timestamp(rfc3339: "2026-11-23T00:05:00Z")!
      let window = BudgetWindow(
        start: Timestamp(rfc3339: "2026-11-23T00:00:00Z")!,
        end: Timestamp(rfc3339: "2026-11-24T00:00:00Z")!)
      gate.now = gate.now.advanced(by: .zero - duration)
      gate.state.restore([Self.recorded(period: "daily", window: window)], at: gate.now)
      gate.now = Timestamp(rfc3339: "2026-11-23T00:10:00Z")!
      let status = try gate.status()
      #expect(status.window == window)
      return status.settledTokens
    }
    #expect(try restored(setBackBy: .zero) == 60)
    #expect(try restored(setBackBy: .seconds(3_600)) == 60)
    #expect(try restored(setBackBy: .seconds(48 * 3_600)) == 0)
  }

  @Test(
    "A clock set back after the start comes back into the window that had ended, within a day",
    arguments: [(600, 60), (25 * 3_600, 0)])
  func clockSetBackAfterTheStart(secondsAfterTheEnd: Int, settled: Int64) throws {
    var gate = Turnstile([budget(.tokens(100), period: .daily)])
    let window = BudgetWindow(
      start: Timestamp(rfc3339: "2026-11-23T00:00:00Z")!,
      end: Timestamp(rfc3339: "2026-11-24T00:00:00Z")!)
    gate.now = window.end!.advanced(by: .seconds(secondsAfterTheEnd))
    gate.state.restore([Self.recorded(period: "daily", window: window)], at: gate.now)
    #expect(try gate.status().settledTokens == 0)
    gate.now = Timestamp(rfc3339: "2026-11-23T23:30:00Z")!
    #expect(try gate.status().settledTokens == settled)
  }

  @Test("Of two records of one subject, the later window counts", arguments: [false, true])
  func latest(reversed: Bool) throws {
    let later = BudgetWindow(
      start: Timestamp(rfc3339: "2026-11-10T08:30:00Z")!, end: Self.window.end)
    let uses = [Self.recorded(), Self.recorded(window: later, tokens: 7)]
    var gate = Turnstile([budget(.tokens(100))])
    gate.state.restore(reversed ? uses.reversed() : uses, at: gate.now)
    #expect(try gate.status().settledTokens == 7)
    #expect(try gate.status().window == later)
  }
}
