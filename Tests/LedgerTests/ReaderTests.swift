import Budgets
import Money
import Testing
import Time

@testable import Ledger

@Suite struct ReaderTests {
  @Test("Rows are filtered by client and time, newest first, up to the limit")
  func rowsAreFiltered() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    for number in 1...6 {
      var settlement = Sample.settlement(number, client: number % 2 == 0 ? "acme" : "globex")
      settlement.row.createdAt = Sample.admitted.advanced(by: .seconds(number))
      try await ledger.settle(settlement)
    }
    await ledger.close()
    let reader = try LedgerReader(at: folder.location)
    func numbers(_ filter: LedgerReader.UsageFilter, limit: Int = 10) throws -> [Int] {
      try reader.usageRows(filter, limit: limit).map { Int($0.requestID.low & 0xFF) }
    }
    func instant(_ seconds: Int) -> Timestamp { Sample.admitted.advanced(by: .seconds(seconds)) }
    #expect(try numbers(.init()) == [6, 5, 4, 3, 2, 1])
    #expect(try numbers(.init(), limit: 2) == [6, 5])
    #expect(try numbers(.init(clientID: "acme")) == [6, 4, 2])
    #expect(try numbers(.init(clientID: "acme", since: instant(4))) == [6, 4])
    #expect(try numbers(.init(since: instant(2), until: instant(4))) == [3, 2])
    #expect(try numbers(.init(clientID: "none")) == [])
  }

  @Test("Every grouping adds up to the same totals", arguments: UsageGrouping.allCases)
  func groupingsAddUp(grouping: UsageGrouping) async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    for number in 1...5 { try await ledger.settle(Sample.settlement(number)) }
    await ledger.close()
    let totals = try LedgerReader(at: folder.location).usageTotals(of: UsageQuery(by: grouping))
    #expect(totals.map(\.requests).reduce(0, +) == 5)
    #expect(totals.map(\.totalTokens).reduce(0, +) == 550)
    #expect(totals.map(\.cost.nanoUnits).reduce(0, +) == 3500)
  }

  @Test("Declared budgets follow the configuration, and their status shows what is used")
  func budgetsAreSynced() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    func budget(_ name: String, tokens: Int64) -> BudgetDefinition {
      BudgetDefinition(
        id: BudgetID(client: "acme", name: name), per: .client,
        limit: .both(tokens: tokens, cost: Money(nanoUnits: 1_000, currency: Sample.brl)),
        period: .monthly, timeZone: .utc, enforcement: .hard, alerts: [80])
    }
    // Current whenever the test runs.
    var settlement = Sample.settlement(1)
    settlement.charges[0].account.windowStart = Timestamp(milliseconds: 0)
    settlement.charges[0].account.windowEnd = nil
    try await ledger.settle(settlement)
    let later = Sample.admitted.advanced(by: .seconds(60))
    try await ledger.syncBudgets(
      [budget("month", tokens: 1_000), budget("other", tokens: 0)], at: Sample.admitted)
    try await ledger.syncBudgets(
      [budget("month", tokens: 333), budget("third", tokens: 5)], at: later)
    try await ledger.syncBudgets(
      [budget("month", tokens: 333), budget("third", tokens: 5)],
      at: later.advanced(by: .seconds(60)))
    await ledger.close()

    let reader = try LedgerReader(at: folder.location)
    let status = try reader.budgetStatus(clientID: "acme")
    #expect(status.map(\.budgetID) == ["acme/month", "acme/third"])
    #expect(status[0].subject == "client:acme")
    #expect(status[0].limitTokens == 333)
    #expect(status[0].currentTokens == 110)
    #expect(status[0].currentCostNano == 700)
    // 110 of 333 tokens are 33.03 %, 700 of 1,000 nano are 70 %.
    #expect(status[0].permilleUsed == 700)
    #expect(status[1].subject == nil)
    let select = try folder.connection().prepare(
      "SELECT token_percentage, created_at, updated_at FROM budget_status JOIN client_budgets"
        + " ON id = budget_id WHERE id = 'acme/month'")
    #expect(try select.step())
    #expect(select.double(0) == 33.0)
    #expect(select.text(1) == Sample.admitted.rfc3339)
    #expect(select.text(2) == later.rfc3339)
    select.reset()
  }

  @Test("The view's limits have the raise in force, a subject's own before its budget's")
  func raisedLimits() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    let cost = Money(nanoUnits: .max - 5, currency: Sample.brl)
    let each = BudgetDefinition(
      id: BudgetID(client: "acme", name: "month"), per: .user,
      limit: .both(tokens: 1_000, cost: cost), period: .monthly, timeZone: .utc,
      enforcement: .hard, alerts: [80])
    try await ledger.syncBudgets([each], at: Sample.admitted)
    var settlement = Sample.settlement(1)
    settlement.charges[0].account.subject = "user:u1"
    settlement.charges[0].account.windowStart = Timestamp(milliseconds: 0)
    settlement.charges[0].account.windowEnd = nil
    try await ledger.settle(settlement)
    await ledger.close()
    let reader = try LedgerReader(at: folder.location)
    let editor = try LedgerEditor(
      at: folder.location, author: LedgerEditor.Author(actor: "cli:test", now: Sample.admitted))
    let u1 = Target(budget: each.id, subject: Subject(text: "user:u1"))
    let far = Timestamp.readSystemClock().advanced(by: .seconds(3600))
    func raised(_ target: Target, _ tokens: Int64, until end: Timestamp) throws -> [Int64?] {
      let amount = Spend(tokens: tokens, nanoUnits: 7)
      try editor.raise(target, by: Raise(amount: amount, until: end))
      let rows = try reader.budgetStatus()
      return [rows.first?.limitTokens, rows.first?.limitCostNano]
    }
    #expect(try raised(Target(budget: each.id), 500, until: Sample.admitted) == [1_000, .max - 5])
    #expect(try raised(Target(budget: each.id), 500, until: far) == [1_500, .max])
    #expect(try raised(u1, 20, until: far) == [1_020, .max])
    #expect(try raised(u1, 20, until: Sample.admitted) == [1_000, .max - 5])
    #expect(try raised(Target(budget: each.id), 9, until: far) == [1_009, .max])
  }

  @Test("Whatever changes of a declared budget is written, and what an administrator made stays")
  func changedBudgets() async throws {
    func budget(
      _ per: BudgetDefinition.Per = .client, _ limit: BudgetLimit = .tokens(5),
      _ period: BudgetPeriod = .monthly, _ enforcement: BudgetDefinition.Enforcement = .hard
    ) -> BudgetDefinition {
      BudgetDefinition(
        id: BudgetID(client: "acme", name: "month"), per: per, limit: limit, period: period,
        timeZone: .utc, enforcement: enforcement, alerts: [80])
    }
    let brl = Money(nanoUnits: 1_000, currency: Sample.brl)
    let versions = [
      budget(), budget(.user), budget(.user, .tokens(6)), budget(.user, .cost(brl)),
      budget(.user, .cost(Money(nanoUnits: 1_000, currency: .usd))),
      budget(.user, .cost(Money(nanoUnits: 2_000, currency: .usd))),
      budget(.user, .both(tokens: 1, cost: brl)), budget(.user, .tokens(6), .daily),
      budget(.user, .tokens(6), .daily, .soft),
    ]
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    let connection = try folder.connection()
    try connection.execute(
      """
      INSERT INTO client_budgets (id, client_id, name, per, mode, limit_tokens, period,
        enforcement, source, created_at, updated_at)
      VALUES ('acme/other', 'acme', 'other', 'client', 'tokens', 1, 'total', 'hard', 'admin', '',
        '')
      """)
    let select = try connection.prepare(
      """
      SELECT per, mode, limit_tokens, limit_cost_nano, currency, period, enforcement
      FROM client_budgets WHERE id = 'acme/month'
      """)
    func line() throws -> String? {
      try select.firstRow { row in
        let number = { (column: Int32) in row.statement.integer(column).map(String.init) }
        let text = row.statement.text
        return [text(0), text(1), number(2), number(3), text(4), text(5), text(6)]
          .map { $0 ?? "-" }.joined(separator: " ")
      }
    }
    var lines: [String?] = []
    for version in versions {
      try await ledger.syncBudgets([version], at: Sample.admitted)
      lines.append(try line())
    }
    #expect(
      lines == [
        "client tokens 5 - - monthly hard", "user tokens 5 - - monthly hard",
        "user tokens 6 - - monthly hard", "user cost - 1000 BRL monthly hard",
        "user cost - 1000 USD monthly hard", "user cost - 2000 USD monthly hard",
        "user both 1 1000 BRL monthly hard", "user tokens 6 - - daily hard",
        "user tokens 6 - - daily soft",
      ])
    try await ledger.syncBudgets([], at: Sample.admitted)
    await ledger.close()
    let ids = try connection.prepare("SELECT id FROM client_budgets")
    #expect(try ids.rows { $0.statement.text(0) } == ["acme/other"])
  }

  @Test("Declared budgets that are many are written in pieces, all of them")
  func manyBudgets() async throws {
    func budgets(_ numbers: some Sequence<Int>, tokens: Int64) -> [BudgetDefinition] {
      numbers.map { number in
        BudgetDefinition(
          id: BudgetID(client: "acme", name: "\(number)"), per: .client, limit: .tokens(tokens),
          period: .monthly, timeZone: .utc, enforcement: .hard, alerts: [])
      }
    }
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    let select = try folder.connection().prepare(
      """
      SELECT limit_tokens || ' ' || count(*) FROM client_budgets
      GROUP BY limit_tokens ORDER BY limit_tokens
      """)
    func counts() throws -> [String?] { try select.rows { $0.statement.text(0) } }
    try await ledger.syncBudgets(budgets(0..<1_201, tokens: 5), at: Sample.admitted)
    #expect(try counts() == ["5 1201"])
    // 700 are gone, 501 stay as they are, 999 are new.
    try await ledger.syncBudgets(
      budgets(700..<1_201, tokens: 5) + budgets(1_201..<2_200, tokens: 6), at: Sample.admitted)
    #expect(try counts() == ["5 501", "6 999"])
    try await ledger.syncBudgets([], at: Sample.admitted)
    #expect(try counts().isEmpty)
    await ledger.close()
  }

  @Test("The views of the source documents speak of users, and of clients where there is none")
  func documentViews() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    var anonymous = Sample.settlement(1)
    anonymous.row.userID = nil
    try await ledger.settle(anonymous)
    try await ledger.settle(Sample.settlement(2))
    try await ledger.settle(Sample.settlement(3))
    await ledger.close()
    let summary = try folder.connection().prepare(
      "SELECT user_id, period, total_tokens, operations FROM token_usage_summary ORDER BY 1")
    var lines: [String] = []
    try summary.forEachRow { () throws(LedgerError) in
      lines.append(
        "\(summary.text(0)!) \(summary.text(1)!) \(summary.integer(2)!) \(summary.integer(3)!)")
    }
    #expect(lines == ["acme 2026-11 110 1", "u1 2026-11 220 2"])
    let consumption = try folder.connection().prepare(
      "SELECT count(*) FROM token_consumption WHERE operation_type = 'chat'")
    #expect(try consumption.firstInteger() == 3)
  }
}
