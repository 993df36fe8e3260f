import Budgets
import Money
import Pricing
import Testing
import Time

@testable import Ledger

@Suite struct SettlingTests {
  @Test("A row reads back as it was settled, with every field")
  func rowReadsBack() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    var row = Sample.row(1, conversation: "c1")
    // A character that texts of PostgreSQL can't have.
    row.agentID = TestServer.isGiven ? "agent \u{1F600}end" : "agent \u{1F600}\0end"
    row.metadata = #"{"a":"\"quoted\""}"#
    row.usage = try #require(
      Usage(
        inputTokens: 100, cachedInputTokens: 1, cacheWriteTokens: 2, cacheWriteLongTokens: 3,
        audioInputTokens: 4, imageInputTokens: 5, outputTokens: 90, reasoningTokens: 6,
        audioOutputTokens: 7, imageOutputTokens: 8, audioMilliseconds: 9, characters: 10,
        images: 11, calls: 12, cachedAudioTokens: 1))
    row.overrunTokens = 13
    row.overrunNanoUSD = 14
    try await ledger.settle(SettledRequest(row: row, charges: [], priceRecord: Sample.prices))
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.usageRow(row.requestID) == row)
    #expect(try reader.priceRecord(version: "prices#1") == Sample.prices)
    await ledger.close()
  }

  @Test("The dollar column is the nano column as decimal text")
  func dollarsAreGenerated() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    var settlement = Sample.settlement(1)
    settlement.row.costNanoUSD = 12_000_000_345
    try await ledger.settle(settlement)
    let select = try folder.connection().prepare("SELECT cost_usd FROM usage_logs")
    #expect(try select.step())
    #expect(select.text(0) == "12.000000345")
    select.reset()
    await ledger.close()
  }

  @Test("An intent is in flight from its opening to its settlement")
  func intentEndsWithItsRow() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    let reader = try LedgerReader(at: folder.location)
    try await ledger.open(Sample.intent(1))
    let open = try reader.openIntents()
    #expect(open == [Sample.intent(1).interrupted.row])
    #expect(try reader.usageRows(limit: 10).isEmpty)
    try await ledger.settle(Sample.settlement(1))
    #expect(try reader.openIntents().isEmpty)
    #expect(try reader.usageRows(limit: 10).map(\.requestID) == [Sample.id(1)])
    await ledger.close()
    #expect(try folder.connection().prepare("SELECT count(*) FROM in_flight").firstInteger() == 0)
  }

  @Test("A discarded intent leaves no row and no charge, also one that shares its commit")
  func discardLeavesNothing() async throws {
    let folder = TemporaryFolder()
    let database = try LedgerDatabase(folder.options())
    try database.commit(
      (1...3).map { .open(interrupted: Sample.intent($0).interrupted) })
    try database.commit([.discard(Sample.id(2))])
    try database.commit([.settle(Sample.settlement(1))])
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.openIntents().map(\.requestID) == [Sample.id(3)])
    #expect(try database.recover() == 1)
    #expect(try reader.usageRows(limit: 10).map(\.requestID) == [Sample.id(3), Sample.id(1)])
    #expect(try reader.audit() == [])
  }

  @Test("A request that is settled twice is recorded and charged once")
  func secondSettlementIsIgnored() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    try await ledger.settle(Sample.settlement(1, conversation: "c1"))
    try await ledger.settle(Sample.settlement(1, conversation: "c1"))
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.usageRows(limit: 10).count == 1)
    #expect(try reader.budgetAccounts(liveAt: nil).map(\.tokens) == [110])
    #expect(try reader.audit() == [])
    await ledger.close()
  }

  @Test("Rollups and counters are the sums of concurrent settlements, and the audit agrees")
  func rollupsAreSums() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<300 {
        group.addTask {
          let client = number % 3 == 0 ? "acme" : "globex"
          try await ledger.open(Sample.intent(number, client: client))
          try await ledger.settle(
            Sample.settlement(number, client: client, conversation: "c\(number % 7)"))
        }
      }
      try await group.waitForAll()
    }
    await ledger.close()
    let reader = try LedgerReader(at: folder.location)
    let totals = try reader.usageTotals(of: UsageQuery(by: .client))
    #expect(totals.map(\.key) == ["acme", "globex"])
    #expect(totals.map(\.requests) == [100, 200])
    #expect(totals.map(\.totalTokens) == [11_000, 22_000])
    #expect(totals.map(\.cost.nanoUnits) == [70_000, 140_000])
    #expect(try reader.budgetAccounts(liveAt: nil).map(\.tokens) == [33_000])
    let conversations = try folder.connection().prepare(
      "SELECT sum(conversations_count) FROM token_usage")
    #expect(try conversations.firstInteger() == 14)
    #expect(try reader.openIntents().isEmpty)
    #expect(try reader.audit() == [])
  }

  @Test("A batch that fails writes nothing and forgets what it had counted")
  func batchIsAtomic() throws {
    let folder = TemporaryFolder()
    let database = try LedgerDatabase(folder.options())
    try folder.plantFailure("INSERT", on: "denials")
    let entries: [Entry] = [
      .settle(Sample.settlement(1, conversation: "c1")),
      .open(interrupted: Sample.intent(2).interrupted),
    ]
    #expect(throws: LedgerError.self) {
      try database.commit(entries, UnawaitedRows(denials: [Sample.denial(3)]))
    }
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.usageRows(limit: 10).isEmpty)
    #expect(try reader.openIntents().isEmpty)
    #expect(try reader.budgetAccounts(liveAt: nil).isEmpty)
    try database.commit(entries)
    #expect(try reader.usageRows(limit: 10).count == 1)
    #expect(try reader.openIntents().count == 1)
    #expect(try reader.audit() == [])
  }

  @Test("A budget in a third currency can be recomputed too")
  func thirdCurrencyIsExplained() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    var settlement = Sample.settlement(1)
    for (budget, currency, costNano) in [
      ("acme/usd", "USD", 140), ("acme/eur", "EUR", 131),
    ] as [(String, String, Int64)] {
      settlement.charges.append(
        BudgetCharge(
          account: Sample.account(budget, currency: try #require(Currency(currency))),
          tokens: 110, costNano: costNano))
    }
    try await ledger.settle(settlement)
    await ledger.close()
    let select = try folder.connection().prepare("SELECT budget_accounts FROM usage_logs")
    #expect(try select.step())
    #expect(select.text(0) == "1,2,3:110:131")
    select.reset()
    #expect(try LedgerReader(at: folder.location).audit() == [])
  }

  @Test("Denials are written without being waited for")
  func denialsAreWritten() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    for number in 1...3 { ledger.record(Sample.denial(number)) }
    await ledger.close()
    let reader = try LedgerReader(at: folder.location)
    let newest = try reader.denialLog(where: [:], LogRange(limit: 2))
    #expect(newest.map(\.content) == [Sample.denial(3), Sample.denial(2)])
    #expect(try reader.denialLog(where: [.client: "globex"], LogRange(limit: 2)).isEmpty)
    let later = LogRange(since: Sample.admitted.advanced(by: .seconds(1)), limit: 2)
    #expect(try reader.denialLog(where: [:], later).isEmpty)
  }

  @Test("A closed ledger says so")
  func closedLedgerSaysSo() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    await ledger.close()
    await ledger.close()
    await #expect(throws: LedgerError.closed) { try await ledger.open(Sample.intent(1)) }
    await #expect(throws: LedgerError.closed) { try await ledger.settle(Sample.settlement(1)) }
  }
}
