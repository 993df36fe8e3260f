import Pricing
import Testing

@testable import Ledger

@Suite struct AuditTests {
  struct Planted: Sendable, CustomTestStringConvertible {
    var statement: String
    var checks: [AuditDifference.Check]
    var subject: String
    var testDescription: String { statement }
  }

  static let planted: [Planted] = [
    Planted(
      statement: "UPDATE token_usage SET tokens_input = tokens_input + 1",
      checks: [.tokenUsage], subject: "acme 2026-11-22 tokens_input"),
    Planted(
      statement: "UPDATE token_usage SET conversations_count = 0",
      checks: [.tokenUsage], subject: "acme 2026-11-22 conversations_count"),
    Planted(
      statement: "UPDATE budget_accounts SET cost_nano = cost_nano - 1",
      checks: [.budgetAccount], subject: "acme/month client:acme 2026-11-01T03:00:00.000Z"),
    Planted(
      statement: "UPDATE budget_accounts SET leased_tokens = leased_tokens + 1",
      checks: [.budgetAccount],
      subject: "leases acme/month client:acme 2026-11-01T03:00:00.000Z leased_tokens"),
    Planted(
      statement: "INSERT INTO budget_leases VALUES ('r1', 1, 0, 7)",
      checks: [.budgetAccount],
      subject: "leases acme/month client:acme 2026-11-01T03:00:00.000Z leased_nano"),
    Planted(
      statement: "UPDATE usage_logs SET budget_accounts = '1,99' WHERE id = 2",
      checks: [.budgetAccount], subject: Sample.id(2).description),
    Planted(
      statement:
        "UPDATE usage_logs SET cost_nano = cost_nano + 1, budget_accounts = '' WHERE id = 1",
      checks: [.cost, .budgetAccount, .rollup, .rollup, .rollup, .rollup],
      subject: Sample.id(1).description),
    Planted(
      statement: """
        UPDATE usage_logs SET provider_cost_nano_usd = provider_cost_nano_usd + 1 WHERE id = 1
        """,
      checks: [.cost] + Array(repeating: .rollup, count: 4) + [.usageTotals],
      subject: Sample.id(1).description),
    Planted(
      statement: "UPDATE usage_hourly SET provider_difference_nano_usd = -1",
      checks: [.rollup],
      subject: "usage_hourly 498703 openai gpt-4o-mini chat BRL provider_difference_nano_usd"),
    Planted(
      statement: "UPDATE usage_totals SET provider_difference_nano_usd = 7",
      checks: [.usageTotals],
      subject: "usage_totals acme openai chat ok provider_difference_nano_usd"),
    Planted(
      statement: "UPDATE usage_daily SET tokens_output = tokens_output + 1",
      checks: [.rollup],
      subject: "usage_daily acme 2026-11-22 20779 web  openai gpt-4o-mini chat BRL tokens_output"),
    Planted(
      statement: "UPDATE usage_hourly SET hour = hour + 1",
      checks: Array(repeating: .rollup, count: 12),
      subject: "usage_hourly 498703 openai gpt-4o-mini chat BRL requests"),
    Planted(
      statement: "DELETE FROM usage_daily_users",
      checks: Array(repeating: .rollup, count: 6),
      subject: "usage_daily_users acme 2026-11-22 20779 u1 BRL requests"),
    Planted(
      statement: "UPDATE usage_logs SET price_version = 'prices#2' WHERE id = 1",
      checks: [.missingPrices], subject: Sample.id(1).description),
    Planted(
      statement: "UPDATE usage_logs SET price_version = NULL WHERE id = 1",
      checks: [.missingPrices], subject: Sample.id(1).description),
    Planted(
      statement: "UPDATE usage_logs SET cached_tokens = 101, budget_accounts = '' WHERE id = 1",
      checks: [.unreadableRow, .budgetAccount, .usageTotals], subject: Sample.id(1).description),
    Planted(
      statement: "UPDATE usage_totals SET overruns = overruns + 1",
      checks: [.usageTotals, .usageTotals], subject: "usage_totals acme openai chat ok overruns"),
    Planted(
      statement: "UPDATE usage_totals SET model = 'another'",
      checks: Array(repeating: .usageTotals, count: 5),
      subject: "usage_totals acme openai chat ok another requests"),
    Planted(
      statement: "UPDATE usage_totals_reach SET last_id = last_id - 1",
      checks: Array(repeating: .usageTotals, count: 10),
      subject: "usage_totals acme openai chat ok requests"),
    Planted(
      statement: "UPDATE conversations SET day = '2026-11-21'",
      checks: [.conversation], subject: "acme 2026-11 c1"),
    Planted(
      statement: "DELETE FROM conversations",
      checks: [.conversation], subject: "acme 2026-11 c1"),
    Planted(
      statement: "UPDATE usage_logs SET begins_conversation = 1",
      checks: [.tokenUsage, .conversation] + Array(repeating: .rollup, count: 4),
      subject: "acme 2026-11-22 conversations_count"),
    Planted(
      statement: """
        UPDATE usage_logs SET begins_conversation = 0;
        UPDATE token_usage SET conversations_count = 0;
        UPDATE usage_daily SET conversations = 0;
        UPDATE usage_daily_users SET conversations = 0;
        UPDATE usage_daily_conversations SET conversations = 0;
        UPDATE usage_hourly SET conversations = 0;
        DELETE FROM conversations
        """,
      checks: [.conversation], subject: "acme 2026-11 c1"),
    Planted(
      statement: "INSERT INTO conversations VALUES ('acme', '2026-11', 'c2', '2026-11-22')",
      checks: [.conversation], subject: "acme 2026-11 c2"),
    Planted(
      statement: """
        INSERT INTO credit_draws VALUES ('\(Sample.id(1))', 7, 'acme', 1, NULL, '2026-11-22')
        """,
      checks: [.credit], subject: "crd_07"),
    Planted(
      statement: """
        DROP INDEX usage_logs_request_id;
        UPDATE usage_logs SET request_id = (SELECT request_id FROM usage_logs WHERE id = 1)
        WHERE id = 2
        """,
      checks: [.duplicateRequest], subject: Sample.id(1).description),
  ]

  /// Rows after what the totals reach count there too, which only one server can tell from ids.
  static var plantable: [Planted] {
    planted.filter { !TestServer.isGiven || !$0.statement.contains("usage_totals_reach") }
  }

  @Test("A planted difference is found and named", arguments: plantable)
  func plantedDifferenceIsFound(planted: Planted) async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    for number in 1...2 { try await ledger.settle(Sample.settlement(number, conversation: "c1")) }
    await ledger.close()
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.audit() == [])
    try folder.connection().execute(planted.statement)
    let differences = try reader.audit()
    #expect(differences.map(\.check) == planted.checks)
    #expect(differences.first?.subject == planted.subject)
  }

  @Test("Fine-tuned models that are counted as their base, beside it or without it, don't differ")
  func fineTunedModels() async throws {
    for names in [["ft:m:org::x", "ft:m:org::y"], ["ft:m:org::x", "ft:m:org::y", "ft:m", "m"]] {
      let folder = TemporaryFolder()
      let book = ["ft:m:org::x": "ft:m", "ft:m:org::y": "ft:m:org::y", "ft:m": "ft:m", "m": "m"]
      let ledger = try ServerLedger(folder.options()) { model, _ in book[model] ?? "other" }
      for (index, name) in names.enumerated() {
        var settlement = Sample.settlement(index + 1)
        settlement.row.model = name
        try await ledger.settle(settlement)
      }
      await ledger.close()
      let reader = try LedgerReader(at: folder.location)
      #expect(try reader.audit() == [])
      try folder.connection().execute(
        "UPDATE usage_totals SET overruns = overruns + 1 WHERE model = 'ft:m'")
      #expect(
        try reader.audit().map(\.subject) == [
          "usage_totals acme openai chat ok overruns",
          "usage_totals acme openai chat ok ft:m overruns",
        ])
    }
  }

  @Test("A row that was charged its whole hold is no difference")
  func wholeHoldIsNoDifference() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    var settlement = Sample.settlement(1)
    settlement.row.costNanoUSD = settlement.row.heldNanoUSD
    settlement.row.providerCostNanoUSD = settlement.row.heldNanoUSD
    settlement.charges = []
    try await ledger.settle(settlement)
    await ledger.close()
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.audit { _, _ in nil } == [])
    #expect(try reader.audit { _, _ in (1, 5, 1) }.map(\.check) == [.cost])
  }
}
