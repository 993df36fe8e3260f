import Budgets
import InMemory
import Ledger
import Pricing
import Testing
import Upstream

@testable import Gateway

/// How a request that was let through ends: what the client gets, what is recorded, what is left of
/// the budget, and in which order.
@Suite("A request that is let through ends once", .timeLimit(.minutes(1)))
struct RequestEndingTests {
  /// A way in which a request can end.
  enum Ending: String, CaseIterable, CustomTestStringConvertible, Sendable {
    case answered = "the provider answers as a whole"
    case streamed = "the provider streams to the end"
    case cut = "the provider breaks off within a stream"

    var testDescription: String { rawValue }
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let ending: Ending
    let enforcement: BudgetDefinition.Enforcement
    let sharing: GatewayBench.Sharing

    var testDescription: String { "\(ending.rawValue), \(enforcement), \(sharing)" }
  }

  static let cases = Ending.allCases.flatMap { ending in
    BudgetDefinition.Enforcement.allCases.flatMap { enforcement in
      GatewayBench.Sharing.allCases.map {
        Case(ending: ending, enforcement: enforcement, sharing: $0)
      }
    }
  }

  @Test(
    "Hold and intent end once, and what is recorded is what the budget counts", arguments: cases)
  func ends(_ given: Case) async throws {
    let budget = Self.budget(given.enforcement)
    try await GatewayBench.run(given.sharing, budgets: budget) { bench in
      let expected = Expectation(given.ending)
      let answer = await given.ending.play(on: bench)
      #expect(answer.status == expected.status)
      #expect(answer.code == expected.code)
      #expect(answer.isWhole == expected.isWhole)
      #expect(bench.ledger.openCount == 0)
      let row = bench.ledger.rows.first
      #expect(bench.ledger.rows.count == (expected.outcome == nil ? 0 : 1))
      #expect(row?.outcome == expected.outcome)
      #expect(row?.usageSource == expected.source)
      if let row { Self.expectFigures(of: row, expected) }
      let status = try bench.status
      #expect(status.settledTokens == row?.usage.totalTokens ?? 0)
      #expect(status.heldTokens == 0)
      Self.expectOrder(bench.ledger, given.sharing, expected.outcome == nil)
    }
  }

  /// Where replicas share limits, the ledger knows what was used before the hold ends: what is free
  /// of a lease is another request's at once. Alone, the hold ends first.
  private static func expectOrder(
    _ ledger: MemoryLedger, _ sharing: GatewayBench.Sharing, _ isDiscarded: Bool
  ) {
    #expect(ledger.events == [.opened, isDiscarded ? .discarded : .settled])
    let held = ledger.entries.map { $0.heldTokens > 0 }
    #expect(held == [true, isDiscarded || sharing == .replicas])
  }

  /// A reported usage is exact. An estimate is at least what was seen, and at most what was held.
  private static func expectFigures(of row: UsageRow, _ expected: Expectation) {
    let tokens = row.usage.totalTokens
    if let reported = expected.tokens {
      #expect(tokens == reported)
    } else {
      #expect((7...row.heldTokens).contains(tokens))
    }
    #expect(row.costNanoUSD == row.usage.inputTokens * 1_000 + row.usage.outputTokens * 2_000)
  }

  private static func budget(_ enforcement: BudgetDefinition.Enforcement) -> String {
    """
    { name: b, mode: tokens, tokens: 100000, period: total, enforcement: \(enforcement) }
    """
  }
}

/// What an ending comes to.
private struct Expectation {
  var status = 200
  var code: String?
  var isWhole = true
  /// Nil where nothing is recorded.
  var outcome: Outcome? = .ok
  var source: UsageSource? = .reported
  /// Nil for an estimate.
  var tokens: Int64? = 15

  init(_ ending: RequestEndingTests.Ending) {
    switch ending {
    case .answered, .streamed: break
    case .cut:
      (isWhole, outcome, source, tokens) = (false, .upstreamBroken, .estimated, nil)
    }
  }
}

extension RequestEndingTests.Ending {
  static let usage = """
    "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    """
  static let whole = """
    {"id": "c1", "object": "chat.completion", "model": "gpt-test", "choices": [{"index": 0, \
    "message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}], \(usage)}
    """
  static let piece = """
    {"id": "c1", "object": "chat.completion.chunk", "model": "gpt-test", \
    "choices": [{"index": 0, "delta": {"content": "hi"}}]}
    """
  static let lastPiece = """
    {"id": "c1", "object": "chat.completion.chunk", "model": "gpt-test", "choices": [], \(usage)}
    """

  /// Makes a request that ends so; returns what the client got.
  func play(on bench: GatewayBench) async -> InMemoryAnswer {
    switch self {
    case .answered:
      bench.provider.script = [{ $0.answer(200, Self.whole) }]
      await bench.chat()
    case .streamed:
      bench.provider.script = [
        { call in
          call.stream([Self.piece, Self.lastPiece, "[DONE]"])
          call.finish()
        }
      ]
      await bench.chat("\"stream\": true")
    case .cut:
      bench.provider.script = [
        { call in
          call.stream([Self.piece])
          call.fail(.broken(.truncated))
        }
      ]
      await bench.chat("\"stream\": true")
    }
    return await bench.client.answer()
  }
}
