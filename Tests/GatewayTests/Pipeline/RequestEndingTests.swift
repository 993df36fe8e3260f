import Budgets
import InMemory
import Ledger
import Pricing
import Testing

@testable import Gateway

/// How a request that was let through ends: what the client gets, what is recorded, what is left of
/// the budget, and in which order.
@Suite("A request that is let through ends once", .timeLimit(.minutes(1)))
struct RequestEndingTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let ending: RequestEnding
    let enforcement: BudgetDefinition.Enforcement
    let sharing: GatewayBench.Sharing

    var testDescription: String { "\(ending.sentence), \(enforcement), \(sharing)" }
  }

  static let cases = (RequestEnding.all + RequestEnding.later).flatMap { ending in
    BudgetDefinition.Enforcement.allCases.flatMap { enforcement in
      GatewayBench.Sharing.allCases.map {
        Case(ending: ending, enforcement: enforcement, sharing: $0)
      }
    }
  }

  @Test(
    "Hold and intent end once, and what is recorded is what the budget counts", arguments: cases)
  func ends(_ given: Case) async throws {
    let budget = """
      { name: b, mode: tokens, tokens: 100000, period: total, enforcement: \(given.enforcement) }
      """
    try await GatewayBench.run(given.sharing, budgets: budget) { bench in
      let answer = try await given.ending.play(bench)
      #expect(answer.status == given.ending.gets.status)
      #expect(answer.code == given.ending.gets.code)
      #expect(answer.isWhole == given.ending.gets.isWhole)
      Self.expectRows(bench.ledger.rows, of: given.ending)
      let status = try bench.status
      #expect(status.settledTokens == bench.ledger.rows.reduce(0) { $0 + $1.usage.totalTokens })
      #expect(status.settledTokens == bench.ledger.settledTokens)
      #expect(status.heldTokens == 0)
      #expect(bench.ledger.openCount == 0)
      #expect(bench.ledger.underway.isEmpty)
      Self.expectOrder(bench.ledger, given)
    }
  }

  private static func expectRows(_ rows: [UsageRow], of ending: RequestEnding) {
    let count =
      switch ending.end {
      case .settled: 1
      case .discarded: 0
      case .deferred(let rows): rows
      }
    #expect(rows.count == count)
    for row in rows {
      #expect(row.outcome == ending.outcome)
      #expect(row.usageSource == ending.source)
      #expect(row.overrunTokens == 0)
      let tokens = row.usage.totalTokens
      if let reported = ending.tokens {
        #expect(tokens == reported)
      } else {
        // At least the input, and never more than what was held.
        let least = ending.isWholeHold ? row.heldTokens : 6
        #expect((least...row.heldTokens).contains(tokens))
      }
      #expect(
        row.costNanoUSD
          == ending.nanoUSD * (row.usage.inputTokens + 2 * row.usage.outputTokens))
    }
  }

  /// Where replicas share limits, the ledger knows what was used before the hold ends: what is free
  /// of a lease is another request's at once. Alone, the hold ends first. The hold of a batch lives
  /// until its last row is safe. An intent is discarded before its hold is given back.
  private static func expectOrder(_ ledger: MemoryLedger, _ given: Case) {
    var endsHeld = given.sharing == .replicas
    switch given.ending.end {
    case .settled: #expect(ledger.events == [.opened, .settled])
    case .discarded:
      #expect(ledger.events == [.opened, .discarded])
      endsHeld = true
    case .deferred(let rows):
      #expect(ledger.events == [.opened, .deferred, .settledRows(rows, ends: true)])
      endsHeld = endsHeld || rows > 1
    }
    #expect(ledger.entries.dropLast().allSatisfy { $0.heldTokens > 0 } == true)
    #expect((ledger.entries.last?.heldTokens ?? 0 > 0) == endsHeld)
  }
}
