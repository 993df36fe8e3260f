import Budgets
import Money
import Pricing
import Testing
import Time

@testable import Ledger

/// Rows that can't be understood: a server goes on without them, and says so.
@Suite struct UnreadableRowTests {
  private let folder = TemporaryFolder()

  private func editor() throws -> LedgerEditor {
    try LedgerEditor(
      at: folder.location,
      author: LedgerEditor.Author(actor: "token:alice", now: Sample.admitted))
  }

  private let budget = StoredBudget(
    id: BudgetID(client: "acme", name: "cap"), per: .client, limit: .tokens(5),
    period: "monthly", enforcement: .hard, alerts: [], createdAt: Sample.admitted)

  @Test(
    "A client of which a row that limits it can't be understood is closed",
    arguments: [
      "UPDATE budget_accounts SET currency = '?'", "UPDATE budget_accounts SET window_end = 'soon'",
      "UPDATE client_budgets SET per = 'planet'", "UPDATE budget_controls SET subject = 'x:y'",
      "UPDATE subscriptions SET status = 'lost'", "UPDATE clients SET status = 'lost'",
    ])
  func closesClient(_ damage: String) async throws {
    let ledger = try folder.ledger()
    try await ledger.settle(Sample.settlement(1))
    await ledger.close()
    let editor = try editor()
    try editor.create(
      StoredClient(id: "acme", name: "ACME", timeZone: "UTC", createdAt: Sample.admitted))
    _ = try editor.replace(budget)
    try editor.raise(
      Target(budget: budget.id),
      by: Raise(amount: Spend(tokens: 1, nanoUnits: 0), until: Sample.admitted))
    try editor.subscribe("acme", to: "pro", startedOn: Sample.day)
    try folder.connection().execute(damage)

    func readAll(_ reader: LedgerReader) throws {
      _ = try reader.storedClients()
      _ = try reader.budgetControls()
      _ = try reader.budgetAccounts(liveAt: nil)
    }
    #expect(throws: LedgerError.self) { try readAll(LedgerReader(at: folder.location)) }
    let unreadable = UnreadableRows()
    try readAll(LedgerReader(at: folder.location, passingOver: unreadable))
    #expect(unreadable.closedClients == ["acme"])
    #expect(unreadable.take().map(\.clientID) == ["acme"])
    // Each is told once; a row that is mended closes nobody any more.
    try readAll(LedgerReader(at: folder.location, passingOver: unreadable))
    #expect(unreadable.take().isEmpty)
    unreadable.begin()
    #expect(unreadable.closedClients.isEmpty)
  }

  @Test("A plan that can't be understood allows nothing")
  func closesPlan() throws {
    try editor().create(
      StoredPlan(
        name: "pro", displayName: "Pro", monthlyTokens: 500, monthlyConversations: nil,
        billing: PlanBilling(
          fixedFee: Money(nanoUnits: 400, currency: Sample.brl), included: 8, overage: nil),
        createdAt: Sample.admitted))
    try folder.connection().execute("UPDATE plans SET measure = 'weight'")
    let unreadable = UnreadableRows()
    let reader = try LedgerReader(at: folder.location, passingOver: unreadable)
    let plan = try #require(try reader.storedClients().plans.first)
    #expect(plan.name == "pro" && plan.monthlyTokens == 0 && plan.monthlyConversations == 0)
    #expect(unreadable.take().map(\.effect) == [.closesPlan])
  }

  @Test(
    "Rows that limit nobody are left out",
    arguments: [
      ("UPDATE budget_resets SET usage = 'some'", 1), ("UPDATE alerts SET subject = 'nobody'", 1),
      (
        "UPDATE token_credits SET currency = '?', tokens_granted = NULL, tokens_remaining = NULL", 1
      ),
      // Such a credit must not become one that never expires.
      ("UPDATE token_credits SET expires_at = 'soon'", 1),
    ])
  func leavesOut(_ damage: String, count: Int) async throws {
    let editor = try editor()
    try editor.reset(Target(budget: budget.id), use: .clear)
    _ = try editor.grant(
      StoredCredit(clientID: "acme", granted: .tokens(5), createdAt: Sample.admitted))
    try folder.connection().execute(
      """
      INSERT INTO alerts (uuid, type, client_id, budget_id, subject, window_start, unit,
        limit_value, used, created_at)
      VALUES ('a', 'budget.exceeded', 'acme', 'acme/cap', 'client:acme', '2026-11-01T00:00:00.000Z',
        'tokens', 1, 1, '2026-11-23T00:00:00.000Z')
      """)
    try folder.connection().execute(damage)
    let unreadable = UnreadableRows()
    let reader = try LedgerReader(at: folder.location, passingOver: unreadable)
    _ = try reader.budgetResets(after: 0)
    _ = try reader.reportedAlerts(liveAt: Sample.admitted)
    _ = try reader.credits(ofClient: nil)
    #expect(unreadable.closedClients.isEmpty)
    #expect(unreadable.take().count == count)
  }

  @Test("A writer starts without rows that it can't understand, and keeps them")
  func writer() async throws {
    let first = try folder.ledger()
    try await first.settle(Sample.settlement(1))
    await first.close()
    try folder.connection().execute(
      """
      INSERT INTO in_flight (intents) VALUES ('nonsense');
      UPDATE usage_totals SET outcome = 'lost';
      """)
    let second = try folder.ledger()
    #expect(second.takeUnreadable().count >= 1)
    try await second.open(Sample.intent(2))
    try await second.settle(Sample.settlement(2))
    await second.close()
    let left = try folder.connection().prepare(
      "SELECT count(*) FROM in_flight WHERE intents = 'nonsense'")
    #expect(try left.firstInteger() == 1)
  }

  @Test("A client whose periods can't be understood keeps nobody else from being billed or served")
  func billing() async throws {
    func agreement(_ client: String) -> BillingAgreement {
      BillingAgreement(
        clientID: client, plan: "pro", startDay: 1, today: Sample.day, status: .recorded,
        billing: PlanBilling(
          fixedFee: Money(nanoUnits: 10_000_000, currency: Sample.brl), included: 0,
          overage: PlanBilling.Overage(
            every: 100, charge: Money(nanoUnits: 10_000_000, currency: Sample.brl))))
    }
    let first = try folder.ledger()
    try await first.syncBilling([agreement("acme")], at: Sample.admitted)
    await first.close()
    try folder.connection().execute("UPDATE billing_periods SET currency = '?'")
    let second = try folder.ledger()
    try await second.syncBilling([agreement("acme"), agreement("beta")], at: Sample.admitted)
    try await second.settle(Sample.settlement(1))
    try await second.settle(Sample.settlement(2, client: "beta"))
    #expect(second.takeUnreadable().contains { $0.clientID == "acme" && $0.effect == .isNotBilled })
    await second.close()
    let charges = try LedgerReader(at: folder.location).charges(where: [.client: "beta"])
    #expect(charges.map(\.block).sorted() == [0, 1, 2])
    #expect(try LedgerReader(at: folder.location).usageRows(limit: 9).count == 2)
  }
}
