import Budgets
import Glibc
import Money
import Pricing
import Testing
import Time

@testable import Ledger

/// Rows whose sums pass 64 bits: whatever reads or counts them goes on, with the largest number.
@Suite struct AbsurdSumTests {
  private let folder = TemporaryFolder()
  private static let absurd: Int64 = 4_000_000_000_000_000_000

  /// Three rows that together cost more than can be recorded, and what they were charged to.
  private func recordRows() async throws {
    let ledger = try folder.ledger()
    let monthly = BillingAgreement(
      clientID: "acme", plan: "pro", startDay: 1, today: Sample.day, status: .recorded,
      billing: PlanBilling(
        fixedFee: Money(nanoUnits: 0, currency: Sample.brl), measure: .cost, included: 0,
        overage: PlanBilling.Overage(
          every: .max, charge: Money(nanoUnits: 100_000_000, currency: Sample.brl))))
    try await ledger.syncBilling([monthly], at: Sample.admitted)
    for number in 1...3 {
      var settlement = Sample.settlement(number)
      settlement.row.costNanoUSD = Self.absurd
      settlement.row.providerCostNanoUSD = Self.absurd
      settlement.row.cost = Money(nanoUnits: Self.absurd, currency: Sample.brl)
      settlement.charges = ["acme/month", "acme/plan"].map { budget in
        BudgetCharge(
          account: Sample.account(budget), tokens: settlement.row.usage.totalTokens,
          costNano: Self.absurd)
      }
      try await ledger.settle(settlement)
    }
    await ledger.close()
  }

  @Test("A ledger with absurd sums is opened again, and goes on counting")
  func opens() async throws {
    try await recordRows()
    let again = try folder.ledger()
    #expect(again.recordedUsage.sums.values.map(\.costNanoUSD).max() ?? .max == .max)
    try await again.settle(Sample.settlement(4))
    await again.close()
    #expect(try LedgerReader(at: folder.location).usageRows(limit: 9).count == 4)
  }

  @Test("What is read of absurd sums is the largest number, everywhere")
  func reads() async throws {
    try await recordRows()
    let reader = try LedgerReader(at: folder.location)
    let window = BudgetWindow(
      start: Sample.account().windowStart, end: Sample.account().windowEnd)
    let plan = try reader.planUse(of: "acme", in: window, currency: Sample.brl)
    #expect(plan.all == Spend(tokens: 330, nanoUnits: .max))
    #expect(plan.charged == Spend(tokens: 330, nanoUnits: .max))
    for grouping in UsageGrouping.allCases {
      for most in [nil, 5] where most == nil || !grouping.isPeriod {
        let totals = try reader.usageTotals(
          of: UsageQuery(by: grouping, where: [.client: "acme"], most: most))
        #expect(totals.map(\.providerCostNanoUSD) == [.max])
        #expect(totals.map(\.costNanoUSD) == [.max] && totals.map(\.cost.nanoUnits) == [.max])
        #expect(totals.map(\.inputTokens) == [300])
      }
    }
    let day = try #require(
      try reader.dailyUsage(ofClient: "acme", from: Sample.day, through: Sample.day).first)
    #expect(day.costNanoUSD == .max && day.totalTokens == 330)
    let statement = try #require(try reader.billingStatement(of: "acme", period: "2026-11"))
    #expect(statement.used == .max && statement.tokensTotal == 330)
    #expect(try reader.periodUse(statement.period).used == .max)
    let provider = try reader.providerUse(of: "openai", from: Sample.day, through: Sample.day)
    #expect(provider.map(\.providerCostNanoUSD) == [.max])
    let accounts = try reader.budgetAccounts(liveAt: nil)
    #expect(accounts.map(\.cost.nanoUnits) == [.max, .max])
    #expect(try reader.audit { _, _ in (Self.absurd, Self.absurd, Self.absurd) } == [])
  }

  @Test("Views that other programs read answer also where a sum passes 64 bits")
  func views() async throws {
    try await recordRows()
    let connection = try folder.connection()
    try connection.execute(
      """
      INSERT INTO client_budgets (id, client_id, name, per, mode, limit_tokens, limit_cost_nano,
        currency, period, enforcement, source, created_at, updated_at)
      VALUES ('acme/month', 'acme', 'month', 'client', 'both', 1, 1, 'BRL', 'monthly', 'hard',
        'file', '', '');
      UPDATE budget_accounts SET tokens = 9223372036854775807, window_end = NULL;
      UPDATE usage_logs SET total_tokens = 9223372036854775807;
      """)
    let summary = try connection.prepare("SELECT total_tokens FROM token_usage_summary")
    #expect(try summary.firstInteger() == .max)
    let consumption = try connection.prepare("SELECT tokens_used FROM token_consumption")
    #expect(try consumption.firstInteger() == .max)
    let status = try #require(try LedgerReader(at: folder.location).budgetStatus().first)
    #expect(status.currentTokens == .max && status.permilleUsed > 1_000_000)
  }

  @Test("Estimates that are absurdly far off are told apart from others")
  func estimates() async throws {
    try await recordRows()
    try folder.connection().execute(
      "UPDATE usage_logs SET estimated_tokens = 9223372036854775807 WHERE id = 1")
    try folder.connection().execute(
      "UPDATE usage_logs SET estimated_tokens = total_tokens + 11 WHERE id > 1")
    let errors = try LedgerReader(at: folder.location)
      .estimateErrors(LedgerReader.UsageFilter())
    #expect(errors.map(\.checkedRequests) == [3])
    #expect(try #require(errors.first?.percentile95PerMille) > 1_000_000)
  }

  @Test("Counters that were saturated are taken back without a trap")
  func takesBack() async throws {
    let location = folder.location
    guard location.isShared else { return }
    var options = folder.options()
    options.isShared = true
    let database = try LedgerDatabase(options, membership: Membership(name: "test"))
    var interrupted = Sample.settlement(1)
    interrupted.row.outcome = .interrupted
    interrupted.row.costNanoUSD = .max
    interrupted.row.cost = Money(nanoUnits: .max, currency: Sample.brl)
    interrupted.charges = [
      BudgetCharge(account: Sample.account(), tokens: 110, costNano: .max)
    ]
    for number in [1, 2] {
      interrupted.row.requestID = Sample.id(number)
      try database.commit([.settle(interrupted)])
    }
    for number in [1, 2] { try database.commit([.settle(Sample.settlement(number))]) }
    #expect(try LedgerReader(at: location).usageRows(limit: 9).count == 2)
  }
}
