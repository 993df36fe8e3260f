import Budgets
import Money
import Pricing
import Testing
import Time

@testable import Ledger

@Suite("Records, and the columns that hold them") struct RecordTableTests {
  private let folder = TemporaryFolder()
  private let now = Sample.admitted
  private let billing = PlanBilling(
    fixedFee: Money(nanoUnits: 5, currency: Sample.brl), measure: .cost, included: 7,
    overage: PlanBilling.Overage(every: 9, charge: Money(nanoUnits: 11, currency: Sample.brl)))

  /// Inserts a record, none of whose properties has the value that it has in a blank one.
  private func expectSame<Record: TableRecord & Equatable>(_ record: Record) throws {
    let connection = try folder.connection()
    try connection.insert(record)
    #expect(try connection.all() == [record])
  }

  private func prepare() throws { _ = try ServerLedger.migrate(at: folder.location) }

  @Test("A client, a key, a plan and a subscription are read as they were written")
  func clients() throws {
    try prepare()
    try expectSame(
      StoredClient(
        id: "acme", name: "ACME", timeZone: "UTC", status: .suspended, paymentCustomerID: "cus_1",
        markup: Markup("20%"), metadata: #"{"a":1}"#, createdAt: now,
        updatedAt: now.advanced(by: .seconds(1))))
    var key = StoredKey(
      clientID: "acme", name: "web", sha256: "0a", models: ["gpt-*", "\"x\""],
      operations: [.chat, .speech], expiresAt: now, requestsPerMinute: 1, tokensPerMinute: 2,
      createdAt: now)
    key.previousSHA256 = "0b"
    key.previousExpiresAt = now.advanced(by: .seconds(2))
    key.updatedAt = now.advanced(by: .seconds(3))
    try expectSame(key)
    try expectSame(
      StoredPlan(
        name: "pro", displayName: "Pro", monthlyTokens: 1, monthlyConversations: 2,
        billing: billing, markup: Markup("5%"), createdAt: now,
        updatedAt: now.advanced(by: .seconds(1))))
    try expectSame(
      StoredSubscription(
        clientID: "acme", plan: "pro", startedOn: Sample.day, status: .pastDue, createdAt: now,
        updatedAt: now.advanced(by: .seconds(1))))
  }

  @Test("A budget, its control and reset, a credit and prices are read as they were written")
  func budgets() throws {
    try prepare()
    let id = BudgetID(client: "acme", name: "cap")
    let target = Target(budget: id, subject: Subject(text: "user:u1"))
    try expectSame(
      StoredBudget(
        id: id, per: .user,
        limit: .both(tokens: 5, cost: Money(nanoUnits: 6, currency: Sample.brl)),
        period: "daily", enforcement: .soft, alerts: [50, 100], createdAt: now,
        updatedAt: now.advanced(by: .seconds(1))))
    try expectSame(
      BudgetControl(
        target: target, isPaused: true,
        raise: Raise(amount: Spend(tokens: 1, nanoUnits: 2), until: now)))
    try expectSame(BudgetReset(id: 1, target: target, use: .clear, at: now))
    try expectSame(
      StoredCredit(
        id: 1, clientID: "acme", granted: .money(Money(nanoUnits: 8, currency: Sample.brl)),
        remaining: .money(Money(nanoUnits: 3, currency: Sample.brl)), expiresAt: now, note: "gift",
        createdAt: now))
    try expectSame(
      StoredPriceOverride(
        clientID: "acme", number: 4, provider: "openai", model: "gpt",
        prices: AgreedPrices(PriceTable([.input: try FixedDecimal(decimal: "0.3")])),
        createdAt: now))
  }

  @Test("A billing agreement and a period are read as they were written")
  func billed() throws {
    try prepare()
    try expectSame(
      StandingAgreement(
        agreement: BillingAgreement(
          clientID: "acme", plan: "pro", startDay: 9, today: Sample.day, status: .pending,
          billing: billing), since: Sample.day.adding(days: 1)))
    try expectSame(
      BillingPeriod(
        clientID: "acme", name: "2026-11", plan: "pro", firstDay: Sample.day,
        endDay: Sample.day.adding(days: 30), billing: billing))
  }

  @Test("The statements name each written column once, and the rows that are in force")
  func statements() {
    let table = StoredSubscription.table
    #expect(
      table.insertion == """
        INSERT INTO subscriptions (client_id, plan, started_on, status, created_at, updated_at) \
        VALUES (?, ?, ?, ?, ?, ?)
        """)
    #expect(table.deletion == "DELETE FROM subscriptions WHERE client_id = ?")
    #expect(
      StoredClient.table.selection(where: "name = ?")
        == "SELECT * FROM clients WHERE name = ? AND deleted_at IS NULL ORDER BY id")
    #expect(
      StoredKey.table.update.hasSuffix(
        "revoked_at = ?13 WHERE client_id = ?1 AND name = ?2 AND revoked_at IS NULL"))
    #expect(!StoredCredit.table.written.contains("id"))
  }
}
