import Budgets
import Money
import Testing
import Time

@Suite("Holds of work that goes on after its answer")
struct DeferredHoldTests {
  private func recorded(
    _ tokens: Int64, estimate: Int64 = 10, subject: Subject = Subject(kind: .client, value: "acme"),
    period: BudgetPeriod = .monthly, endingAt end: String = "2026-12-01T00:00:00Z"
  ) -> RecordedHold {
    let window = BudgetWindow(
      start: Timestamp(rfc3339: "2026-11-01T00:00:00Z")!, end: Timestamp(rfc3339: end))
    return RecordedHold(
      bound: use(tokens, microDollars: tokens), estimate: use(estimate, microDollars: estimate),
      places: [
        RecordedHold.Place(
          budget: BudgetID(client: "acme", name: "b"), subject: subject,
          period: period.description, window: window)
      ])
  }

  private func restore(_ hold: RecordedHold, in gate: inout Turnstile) throws -> Grant {
    let response = try gate.apply(.restoreHold(hold))
    guard case .admission(let admission) = response else { throw BudgetError.unknownHold }
    return try #require(admission.grant)
  }

  @Test("What an earlier process held is held again, and settled once")
  func restored() throws {
    var gate = Turnstile([budget(.tokens(100))])
    let grant = try restore(recorded(60), in: &gate)
    #expect(try gate.status().heldTokens == 60)
    #expect(gate.hold(demand(output: 50)).ticket != nil)
    let charge = try #require(try gate.settle(grant, use(20)).charges.first)
    #expect(charge.tokens == 20)
    #expect(try gate.status().heldTokens == 50 && gate.status().settledTokens == 20)
    #expect(throws: BudgetError.unknownHold) { try gate.release(grant) }
  }

  @Test("A limit that was lowered meanwhile is passed, and nothing more is let through")
  func lowered() throws {
    var gate = Turnstile([budget(.tokens(50))])
    let grant = try restore(recorded(60), in: &gate)
    #expect(try gate.status().heldTokens == 60)
    #expect(try gate.status().remainingTokens == 0)
    #expect(gate.hold(demand(output: 1)).ticket != nil)
    try gate.settle(grant, use(0))
    #expect(try gate.status().heldTokens == 1)
  }

  @Test("A hold of a window that has ended is charged to that, and takes nothing from the new one")
  func ended() throws {
    var gate = Turnstile([budget(.tokens(100))])
    let grant = try restore(recorded(60, endingAt: "2026-11-15T00:00:00Z"), in: &gate)
    #expect(try gate.status().heldTokens == 0)
    let charge = try #require(try gate.settle(grant, use(20)).charges.first)
    #expect(charge.window.end == Timestamp(rfc3339: "2026-11-15T00:00:00Z"))
    #expect(try gate.status().settledTokens == 0)
  }

  @Test("A soft budget holds the estimate again")
  func soft() throws {
    var gate = Turnstile([budget(.tokens(100), enforcement: .soft)])
    _ = try restore(recorded(60, estimate: 15), in: &gate)
    #expect(try gate.status().heldTokens == 15)
  }

  @Test("Budgets that are gone, or count by another subject now, are left out")
  func gone() throws {
    var gate = Turnstile([budget(per: .user, .tokens(100))])
    let grant = try restore(recorded(60), in: &gate)
    #expect(try gate.settle(grant, use(20)).charges.isEmpty)
  }

  @Test("Work that is settled in parts counts each, and holds the rest")
  func drawn() throws {
    var gate = Turnstile([budget(.tokens(100))])
    let grant = try gate.held(demand(output: 60))
    guard case .settlement(let settlement) = try gate.apply(.draw(grant.hold, use(25))) else {
      return #expect(Bool(false), "a part has no charge")
    }
    #expect(settlement.charges.map(\.tokens) == [25])
    #expect(try gate.status().settledTokens == 25 && gate.status().heldTokens == 35)
    try gate.apply(.draw(grant.hold, use(30)))
    try gate.release(grant)
    #expect(try gate.status().settledTokens == 55 && gate.status().heldTokens == 0)
  }

  @Test("A part above what is left is counted, and told as an overrun")
  func overdrawn() throws {
    var gate = Turnstile([budget(.tokens(100))])
    let grant = try gate.held(demand(output: 60))
    try gate.apply(.draw(grant.hold, use(70)))
    #expect(gate.takeEvents().overruns.map(\.excess.tokens) == [10])
    #expect(try gate.status().settledTokens == 70 && gate.status().heldTokens == 0)
    try gate.release(grant)
  }
}
