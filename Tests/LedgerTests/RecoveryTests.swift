import Budgets
import Pricing
import Testing
import Time

@testable import Ledger

@Suite struct RecoveryTests {
  @Test("What a killed process left in flight is settled with its estimate, once")
  func killedProcessIsRecovered() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    for number in 1...3 { try await ledger.open(Sample.intent(number)) }
    try await ledger.settle(Sample.settlement(2))

    let killed = try folder.copy()
    let restarted = try killed.ledger()
    #expect(restarted.recoveredRequests == 2)
    await restarted.close()
    let reader = try LedgerReader(at: killed.location)
    let rows = try reader.usageRows(limit: 10)
    #expect(rows.map(\.requestID) == [3, 1, 2].map { Sample.id($0) })
    #expect(rows[0] == Sample.intent(3).interrupted.row)
    #expect(rows[0].outcome == .interrupted)
    #expect(rows[0].status == 0)
    #expect(rows[0].usageSource == .estimated)
    #expect(try reader.openIntents().isEmpty)
    #expect(try reader.budgetAccounts(liveAt: nil).map(\.tokens) == [50 + 110 + 50])
    #expect(try reader.audit() == [])

    let again = try killed.ledger()
    #expect(again.recoveredRequests == 0)
    await again.close()
    #expect(try reader.usageRows(limit: 10) == rows)
    await ledger.close()
  }

  @Test("A copy taken at any instant of a busy ledger recovers to a whole one")
  func everyInstantRecovers() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    let requests = Task {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<400 {
          group.addTask {
            try await ledger.open(Sample.intent(number))
            if number % 10 == 0 {
              try await ledger.discard(Sample.id(number))
            } else {
              try await ledger.settle(Sample.settlement(number))
            }
          }
        }
        try await group.waitForAll()
      }
    }
    for _ in 0..<8 {
      let killed = try folder.copy()
      let restarted = try killed.ledger()
      await restarted.close()
      let reader = try LedgerReader(at: killed.location)
      #expect(try reader.openIntents().isEmpty)
      #expect(try reader.audit() == [])
      await Task.yield()
    }
    try await requests.value
    await ledger.close()
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.usageTotals(of: UsageQuery(by: .outcome)).map(\.requests) == [360])
    #expect(try reader.audit() == [])
  }

  @Test("Recovery that fails on the way changes nothing, and is done by the next start")
  func failedRecoveryIsRepeated() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    for number in 1...2 { try await ledger.open(Sample.intent(number)) }
    let killed = try folder.copy()
    await ledger.close()
    try killed.plantFailure("DELETE", on: "in_flight")
    #expect(throws: LedgerError.self) { try killed.ledger() }
    #expect(try LedgerReader(at: killed.location).usageRows(limit: 10).isEmpty)
    try killed.removeFailure(on: "in_flight")
    let restarted = try killed.ledger()
    #expect(restarted.recoveredRequests == 2)
    await restarted.close()
  }

  @Test("A start finds the live counters and the latest answers of each model")
  func startRestores() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    var settlement = Sample.settlement(1)
    settlement.charges.append(
      BudgetCharge(account: Sample.account("acme/ever", windowEnd: nil), tokens: 1, costNano: 2))
    try await ledger.settle(settlement)
    for number in 2...6 {
      var settlement = Sample.settlement(number)
      settlement.row.outcome = number == 5 ? .clientDisconnected : .ok
      settlement.row.usageSource = number == 6 ? .estimated : .reported
      settlement.row.estimateCheck = EstimateCheck(
        estimatedTokens: 1, inputTextBytes: 10, outputTextBytes: Int64(10 * number),
        choices: Int64(number))
      settlement.row.latencyMilliseconds = Int64(100 * number)
      settlement.row.usage = try #require(
        .init(outputTokens: Int64(number), reasoningTokens: number == 4 ? 1 : 0))
      try await ledger.settle(settlement)
    }
    await ledger.close()
    let reader = try LedgerReader(at: folder.location)
    let november = try reader.budgetAccounts(liveAt: Sample.admitted)
    #expect(november.map(\.key.budgetID.name) == ["month", "ever"])
    #expect(november.map(\.key) == [Sample.account(), Sample.account("acme/ever", windowEnd: nil)])
    let december = try reader.budgetAccounts(liveAt: Timestamp(rfc3339: "2026-12-01T03:00:00Z"))
    #expect(december.map(\.key.budgetID.name) == ["ever"])
    let answers: [RecentAnswers.Answer] = [3, 4].map { number in
      RecentAnswers.Answer(
        inputTokens: 0, outputTokens: number, outputTextTokens: number, inputTextBytes: 10,
        outputTextBytes: 10 * number, latencyMilliseconds: 100 * number,
        choices: number, reasons: number == 4)
    }
    #expect(
      try reader.recentAnswers(limit: 2)
        == [RecentAnswers(provider: "openai", model: "gpt-4o-mini", answers: answers)])
  }
}
