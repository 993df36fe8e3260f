import Budgets
import EventLoop
import InMemory
import Ledger
import Upstream
import Testing

@testable import Gateway

/// Requests whose ledger fails, or whose leases are voided, on their way.
@Suite("The intent comes first, and nothing goes without it", .timeLimit(.minutes(1)))
struct LedgerFailureTests {
  private static let budget = "{ name: b, mode: tokens, tokens: 100000, period: total }"

  @Test(
    "An intent that can't be written is 503, and nothing is forwarded or held",
    arguments: GatewayBench.Sharing.allCases, [LedgerError.unavailable(reason: "full"), .closed])
  func open(_ sharing: GatewayBench.Sharing, _ error: LedgerError) async throws {
    try await GatewayBench.run(sharing, budgets: Self.budget) { bench in
      bench.ledger.fail(.open, with: error)
      await bench.chat()
      let answer = await bench.client.answer()
      #expect((answer.status, answer.code) == (503, "ledger_unavailable"))
      #expect(bench.provider.calls.isEmpty)
      #expect(bench.heldTokens == 0)
    }
  }

  @Test("Leases that can't be drawn are 503, and nothing is opened")
  func draw() async throws {
    try await GatewayBench.run(.replicas, budgets: Self.budget) { bench in
      bench.ledger.fail(.draw, with: .unavailable(reason: "gone"))
      await bench.chat()
      let answer = await bench.client.answer()
      #expect((answer.status, answer.code) == (503, "ledger_unavailable"))
      #expect(bench.ledger.events == [])
      #expect(bench.provider.calls.isEmpty)
    }
  }

  @Test("A request whose leases others end while its intent is written is not forwarded")
  func voided() async throws {
    try await GatewayBench.run(.replicas, budgets: Self.budget) { bench in
      bench.ledger.whileOpening { [gateway = bench.gateway] in gateway.voidLeases() }
      await bench.chat()
      let answer = await bench.client.answer()
      #expect((answer.status, answer.code) == (503, "ledger_unavailable"))
      #expect(bench.provider.calls.isEmpty)
      #expect(bench.ledger.events == [.opened, .discarded])
      #expect(bench.heldTokens == 0)
    }
  }

  @Test(
    "A client that leaves while its intent is written is not forwarded",
    arguments: GatewayBench.Sharing.allCases)
  func left(_ sharing: GatewayBench.Sharing) async throws {
    try await GatewayBench.run(sharing, budgets: Self.budget) { bench in
      let (loop, client) = (bench.loop, LoopBound(bench.client, on: bench.loop))
      bench.ledger.whileOpening {
        await Task(executorPreference: loop) {
          client.value.hangUp()
          await goRound(loop)
        }.value
      }
      await bench.chat()
      await bench.client.close()
      #expect(bench.provider.calls.isEmpty)
      #expect(bench.ledger.events == [.opened, .discarded])
      #expect(bench.heldTokens == 0)
    }
  }

  @Test(
    "A row that can't be written takes nothing from the client's answer, and the hold ends",
    arguments: GatewayBench.Sharing.allCases)
  func settle(_ sharing: GatewayBench.Sharing) async throws {
    try await GatewayBench.run(sharing, budgets: Self.budget) { bench in
      bench.ledger.fail(.settle, with: .unavailable(reason: "full"))
      bench.provider.script = [{ $0.answer(200, ProviderText.whole) }]
      await bench.chat()
      let answer = await bench.client.answer()
      #expect(answer.status == 200)
      #expect(answer.text == ProviderText.whole)
      #expect(bench.heldTokens == 0)
      try bench.expect(\.settledTokens, 15)
      // It stays open: the next start settles it with its estimate.
      #expect(bench.ledger.openCount == 1)
    }
  }

  @Test(
    "An object that can't be recorded isn't shown", arguments: [true, false], [true, false])
  func record(isStream: Bool, failsAtEnd: Bool) async throws {
    try await GatewayBench.run(budgets: Self.budget) { bench in
      // A stream's objects are recorded before their event passes, all others with the row.
      bench.ledger.fail(failsAtEnd ? .settle : .record, with: .unavailable(reason: "full"))
      bench.provider.script = [
        { call in
          guard isStream else { return call.answer(200, ProviderText.whole) }
          // A stream whose end hasn't come records what it has shown.
          guard failsAtEnd else { return call.stream([ProviderText.piece]) }
          call.stream([ProviderText.lastPiece, "[DONE]"])
          call.finish()
        }
      ]
      await bench.chat(#""store": true, "stream": \#(isStream)"#)
      let text = await bench.client.answer().text
      let isShown = !isStream && !failsAtEnd
      #expect(text.contains(#""c1""#) == isShown)
      #expect(text.contains("ledger_unavailable") != isShown)
      #expect(bench.heldTokens == 0)
    }
  }

  @Test("An intent that can't be discarded stays, and its hold ends")
  func discard() async throws {
    try await GatewayBench.run(budgets: Self.budget) { bench in
      bench.ledger.fail(.discard, with: .unavailable(reason: "full"))
      bench.provider.script = [{ $0.fail(.unreachable(.connection)) }]
      await bench.chat()
      #expect(await bench.client.answer().status == 502)
      #expect(bench.ledger.openCount == 1)
      #expect(bench.heldTokens == 0)
    }
  }
}
