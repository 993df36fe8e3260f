import HTTP
import InMemory
import JSON
import Ledger
import Metering
import TLS
import Testing
import Upstream

@testable import Gateway

// Requests whose work outlives their answer, and sessions.

extension RequestEnding {
  static let later = [
    background("completed", .ok, tokens: 15),
    background("failed", .providerError, tokens: 15),
    RequestEnding(
      sentence: "a batch is submitted, and its results are read", end: .deferred(rows: 2),
      nanoUSD: 500
    ) { bench in
      bench.owners.add("file-1", of: "acme")
      bench.provider.script = [
        { $0.answer(200, (0..<2).map(ProviderText.line).joined(separator: "\n")) },
        { $0.answer(200, ProviderText.batch("validating")) },
        { $0.answer(200, (0..<2).map(ProviderText.result).joined(separator: "\n")) },
      ]
      await bench.send(
        "/v1/batches",
        """
        {"input_file_id": "file-1", "endpoint": "/v1/chat/completions", \
        "completion_window": "24h"}
        """)
      let answer = await bench.client.answer()
      #expect(bench.ledger.events == [.opened, .deferred])
      #expect(bench.heldTokens > 200)
      try await bench.readResults()
      return answer
    },
    RequestEnding(
      sentence: "a realtime session has one response", gets: Gets(status: 101)
    ) { bench in
      bench.provider.script = [{ LiveProvider.serve($0) }]
      await bench.client.send(
        "GET", "/v1/realtime?model=gpt-test-live",
        [
          ("authorization", "Bearer \(GatewayBench.key)"), ("connection", "upgrade"),
          ("upgrade", "websocket"), ("sec-websocket-version", "13"),
          ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ])
      #expect(await bench.client.sees("session.created"))
      #expect(bench.ledger.events == [], "nothing is written before a response is asked for")
      #expect(bench.heldTokens > 0)
      var (writer, frame) = (WebSocketWriter(as: .client), [UInt8]())
      writer.append(.text, Array("{\"type\": \"response.create\"}".utf8).span, to: &frame)
      await bench.client.send(frame)
      #expect(await bench.client.sees("response.done"))
      return await bench.client.leave()
    },
  ]

  /// A response that is made in the background, whose end its client sees.
  private static func background(
    _ end: String, _ outcome: Outcome, tokens: Int64
  ) -> RequestEnding {
    RequestEnding(
      sentence: "a response is made in the background, and \(end)", end: .deferred(rows: 1),
      outcome: outcome, tokens: tokens
    ) { bench in
      let usage = """
        {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
        """
      bench.provider.script = [
        { $0.answer(200, ProviderText.response("queued")) },
        { $0.answer(200, ProviderText.response(end, usage: usage)) },
      ]
      await bench.send(
        "/v1/responses",
        """
        {"model": "gpt-test", "input": "hello", "max_output_tokens": 100, "background": true}
        """)
      #expect(await bench.client.answer().status == 200)
      #expect(bench.ledger.events == [.opened, .deferred])
      #expect(bench.heldTokens > 100)
      await bench.client.send(
        "GET", "/v1/responses/resp_1", [("authorization", "Bearer \(GatewayBench.key)")])
      return await bench.client.answer()
    }
  }
}

extension GatewayBench {
  /// Reads the results of the batch, as the follower does when the provider says that it has ended.
  fileprivate func readResults() async throws {
    let id = DeferredWork.ID(provider: "openai", object: "batch_1")
    let work = try #require(gateway.deferredWorks.find(id))
    let claim = try #require(await work.claim())
    let (parser, upstream) = (JSONParser(), UpstreamClient(on: loop, standIn: provider))
    defer { upstream.close() }
    let more = ", \"output_file_id\": \"file-2\", \"request_counts\": {\"total\": 2}"
    let text = Array(ProviderText.batch("completed", more).utf8)
    let batch = try #require(BatchObject(text, parser: parser))
    let settling = BatchSettling(of: work, claim, batch, gateway: gateway, parser: parser)
    let transfer = try upstream.start(
      UpstreamRequest(
        url: "https://openai.test/v1/files/file-2/content", method: .get,
        connectTimeout: .seconds(1), idleTimeout: .seconds(1)))
    try await settling.read(DecodedBody(of: transfer, try await transfer.head()))
    await settling.finish()
  }
}

/// A provider of realtime sessions that answers the first message with a response.
private enum LiveProvider {
  static func serve(_ call: StandInCall) {
    let key = call.request.fields.first(.secWebSocketKey) ?? ""
    call.respond(
      101,
      [
        ("connection", "upgrade"), ("upgrade", "websocket"),
        ("sec-websocket-accept", WebSocketAccept.value(for: key)),
      ])
    var writer = WebSocketWriter(as: .server)
    send("{\"type\": \"session.created\", \"session\": {}}", by: &writer, on: call)
    call.onContent = { [unowned call] in
      for event in [
        "{\"type\": \"response.created\", \"response\": {\"id\": \"resp_1\"}}",
        """
        {"type": "response.done", "response": {"id": "resp_1", "status": "completed", "usage": \
        {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}}}
        """,
      ] { send(event, by: &writer, on: call) }
    }
  }

  private static func send(
    _ event: String, by writer: inout WebSocketWriter, on call: StandInCall
  ) {
    var frame: [UInt8] = []
    writer.append(.text, Array(event.utf8).span, to: &frame)
    call.deliver(frame)
  }
}
