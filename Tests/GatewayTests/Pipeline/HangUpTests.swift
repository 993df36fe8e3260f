import EventLoop
import InMemory
import Ledger
import Objects
import Testing
import Upstream

@testable import Gateway

/// A client of a provider with `on_disconnect: cancel` hangs up while the provider makes an object
/// that it keeps.
@Suite("What was seen of a stored object is recorded", .timeLimit(.minutes(1)))
struct HangUpTests {
  private static let created = """
    {"type": "response.created", "response": {"id": "resp_1", "object": "response", \
    "status": "in_progress", "model": "gpt-test", "output": []}}
    """
  private static let chunk = """
    {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "gpt-test", \
    "choices": [{"index": 0, "delta": {"content": "hi"}}]}
    """

  private func ask(_ bench: GatewayBench, _ more: String) async -> StandInCall {
    await bench.send(
      "/v1/responses",
      """
      {"model": "gpt-test", "input": "hello", "max_output_tokens": 50, \(more)}
      """)
    let call = await bench.provider.next()
    call.send()
    return call
  }

  @Test("A response's stream is read until it shows its id")
  func stream() async throws {
    try await GatewayBench.run { bench in
      let call = await ask(bench, #""stream": true"#)
      bench.client.hangUp()
      await goRound(bench.loop)
      #expect(!call.isEnded)
      call.stream([Self.created])
      await bench.client.close()
      #expect(call.isEnded)
      #expect(bench.ledger.objects.map(\.objectID) == ["resp_1"])
      #expect(bench.ledger.rows.map(\.outcome) == [.clientDisconnected])
    }
  }

  @Test("A stored completion's stream is read until it shows its id")
  func completion() async throws {
    try await GatewayBench.run { bench in
      await bench.chat(#""stream": true, "store": true"#)
      let call = await bench.provider.next()
      call.send()
      bench.client.hangUp()
      await goRound(bench.loop)
      call.stream([Self.chunk])
      await bench.client.close()
      #expect(call.isEnded)
      #expect(bench.ledger.objects.map(\.objectID) == ["chatcmpl-1"])
    }
  }

  @Test("A stream that has shown its id is cancelled at once")
  func shown() async throws {
    try await GatewayBench.run { bench in
      let call = await ask(bench, #""stream": true"#)
      call.stream([Self.created])
      #expect(await bench.client.sees("resp_1"))
      bench.client.hangUp()
      await bench.client.close()
      #expect(call.isEnded)
      #expect(bench.ledger.objects.map(\.objectID) == ["resp_1"])
    }
  }

  @Test(
    "A request that keeps nothing is cancelled at once",
    arguments: [#""stream": true, "store": false"#, #""store": false"#])
  func notStored(_ more: String) async throws {
    try await GatewayBench.run { bench in
      let call = await ask(bench, more)
      bench.client.hangUp()
      await bench.client.close()
      #expect(call.isEnded)
      #expect(bench.ledger.objects.isEmpty)
    }
  }

  @Test("Before its head came, a whole answer is cancelled at once")
  func unanswered() async throws {
    try await GatewayBench.run { bench in
      let call = await ask(bench, #""store": true"#)
      bench.client.hangUp()
      await bench.client.close()
      #expect(call.isEnded)
    }
  }

  @Test("A whole answer that has begun is read to its end")
  func whole() async throws {
    try await GatewayBench.run { bench in
      let call = await ask(bench, #""store": true"#)
      call.respond(200, [("content-type", "application/json")])
      await goRound(bench.loop)
      bench.client.hangUp()
      await goRound(bench.loop)
      #expect(!call.isEnded)
      call.deliver(Array(ProviderText.response("completed").utf8))
      call.finish()
      await bench.client.close()
      #expect(bench.ledger.objects.map(\.objectID) == ["resp_1"])
    }
  }

  @Test("What came of an answer that breaks off is read")
  func broken() async throws {
    try await GatewayBench.run { bench in
      let call = await ask(bench, #""store": true"#)
      call.respond(200, [("content-type", "application/json")])
      call.deliver(
        Array(
          """
          {"id": "resp_1", "object": "response", "output": [{"id": "msg_1", "type": "message", \
          "content": [{"type": "output_text", "text": "he
          """.utf8))
      call.fail(.broken(.connection))
      #expect(await bench.client.answer().status == 502)
      #expect(bench.ledger.objects.map(\.objectID) == ["resp_1", "msg_1"])
      #expect(bench.ledger.rows.map(\.outcome) == [.upstreamBroken])
    }
  }
}
