import Budgets
import Money
import Pricing
import Testing
import Time

@testable import Ledger

@Suite struct PlanTests {
  private let folder = TemporaryFolder()

  private func editor() throws -> LedgerEditor {
    try LedgerEditor(
      at: folder.location,
      author: LedgerEditor.Author(actor: "token:alice", now: Sample.admitted))
  }

  private let pro = StoredPlan(
    name: "pro", displayName: "Pro", monthlyTokens: 5, monthlyConversations: nil,
    billing: PlanBilling(
      fixedFee: Money(nanoUnits: 400, currency: Sample.brl), included: 8,
      overage: PlanBilling.Overage(
        every: 9, charge: Money(nanoUnits: 100, currency: Sample.brl))),
    createdAt: Sample.admitted)

  @Test("A plan is read back as it was, and removed only when nobody is on it")
  func plans() throws {
    let editor = try editor()
    try editor.create(pro)
    #expect(throws: LedgerError.self) { try editor.create(pro) }
    try editor.subscribe("acme", to: "pro", startedOn: Sample.day)
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.storedClients().plans == [pro])
    #expect(throws: LedgerError.stillUsed(record: "plan pro", by: "client acme")) {
      try editor.removePlan("pro")
    }
    try editor.unsubscribe("acme")
    try editor.removePlan("pro")
    #expect(try reader.storedClients().plans == [])
  }

  @Test("A second subscription changes the plan and keeps the day on which the first began")
  func subscriptions() throws {
    let editor = try editor()
    try editor.subscribe("acme", to: "pro", startedOn: Sample.day)
    try editor.subscribe("acme", to: "big", startedOn: Sample.day.adding(days: 9))
    let kept = try LedgerReader(at: folder.location).subscription(ofClient: "acme")
    #expect(kept?.plan == "big" && kept?.startedOn == Sample.day)
  }

  private func drawing(_ number: Int) -> SettledRequest {
    var settlement = Sample.settlement(number)
    settlement.draws = [
      CreditDraw(credit: 1, tokens: 70, cost: nil),
      CreditDraw(credit: 2, tokens: 40, cost: Money(nanoUnits: 9, currency: Sample.brl)),
    ]
    return settlement
  }

  private func grantCredits() throws {
    let editor = try editor()
    let tokens = StoredCredit(clientID: "acme", granted: .tokens(500), createdAt: Sample.admitted)
    let money = StoredCredit(
      clientID: "acme", granted: .money(Money(nanoUnits: 1_000, currency: Sample.brl)),
      createdAt: Sample.admitted)
    #expect(try editor.grant(tokens).name == "crd_01")
    #expect(try editor.grant(money).name == "crd_02")
  }

  @Test("A request's draws are recorded once, with its row")
  func draws() async throws {
    let ledger = try folder.ledger()
    try grantCredits()
    for _ in 1...2 { try await ledger.settle(drawing(1)) }
    await ledger.close()
    let reader = try LedgerReader(at: folder.location)
    let left = try reader.credits(ofClient: "acme").map(\.remaining)
    #expect(left == [.tokens(430), .money(Money(nanoUnits: 991, currency: Sample.brl))])
    let window = BudgetWindow(start: Sample.account().windowStart, end: nil)
    let use = try reader.planUse(of: "acme", in: window, currency: Sample.brl)
    #expect((use.all.tokens, use.charged.tokens, use.paidByCredits) == (110, 0, 110))
    #expect(try reader.audit() == [])
    try folder.connection().execute("UPDATE token_credits SET tokens_remaining = 1 WHERE id = 1")
    let differences = try reader.audit()
    #expect(differences.map(\.check) == [.credit])
    #expect(differences.map(\.subject) == ["crd_01"])
    #expect(differences.map(\.recorded) == ["1 left"])
  }

  @Test("A killed process's draws are those of its estimates, also from the spool")
  func recoversDraws() async throws {
    let ledger = try folder.ledger()
    try grantCredits()
    var intent = Sample.intent(1)
    intent.interrupted.draws = drawing(1).draws
    try await ledger.open(intent)
    let killed = try folder.copy()
    let line = String(decoding: Entry.settle(drawing(2)).line(), as: UTF8.self)
    try killed.write("catraca.db.spool", line)
    let restarted = try killed.ledger()
    #expect((restarted.recoveredRequests, restarted.drainedEntries) == (1, 1))
    await restarted.close()
    let reader = try LedgerReader(at: killed.location)
    #expect(try reader.credits(ofClient: "acme").map(\.remaining.tokens) == [360, nil])
    #expect(try reader.audit() == [])
    await ledger.close()
  }
}
