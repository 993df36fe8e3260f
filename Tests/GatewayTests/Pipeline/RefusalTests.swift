import HTTPServer
import InMemory
import Testing

@testable import Gateway

/// Requests that are refused before anything is forwarded, and what tells the client why.
@Suite("A refused request reaches no provider and leaves nothing behind", .timeLimit(.minutes(1)))
struct RefusalTests {
  /// One refusal: what the configuration says, what the client asks, and what it gets.
  struct Case: CustomTestStringConvertible, Sendable {
    let sentence: String
    let status: Int
    let code: String?
    /// Further members of the client's only key, such as `, models: [m]`.
    var key = ""
    var client = ""
    var main = ""
    var method = "POST"
    var path = "/v1/chat/completions"
    var credential: String? = "Bearer \(GatewayBench.key)"
    var fields: [(String, String)] = []
    var body = RefusalTests.body

    var testDescription: String { sentence }
  }

  static let body = """
    {"model": "gpt-test", "max_tokens": 100, "messages": [{"role": "user", "content": "hello"}]}
    """

  @Test("It is told why", arguments: credentials + paths + bodies + headers)
  func refused(_ given: Case) async throws {
    try await GatewayBench.run(key: given.key, client: given.client, main: given.main) { bench in
      var fields = given.fields + [("content-type", "application/json")]
      if let credential = given.credential { fields.append(("authorization", credential)) }
      await bench.client.send(
        given.method, given.path, fields, given.method == "GET" ? "" : given.body)
      let answer = await bench.client.answer()
      #expect(answer.status == given.status)
      #expect(answer.code == given.code)
      #expect(answer.fields["x-catraca-request-id"] != nil)
      #expect(answer.isWhole)
      #expect(bench.provider.calls.isEmpty)
      #expect(bench.ledger.events == [])
      #expect(bench.ledger.rows == [])
    }
  }

  @Test("A batch whose header names an unknown response is 404")
  func headerOfBatch() async throws {
    try await GatewayBench.run { bench in
      bench.owners.add("file-1", of: "acme")
      await bench.send(
        "/v1/batches",
        """
        {"input_file_id": "file-1", "endpoint": "/v1/chat/completions", \
        "completion_window": "24h"}
        """, [("x-response-id", "resp_9")])
      #expect(await bench.client.answer().status == 404)
      #expect(bench.provider.calls.isEmpty)
    }
  }

  private static let headers = [
    Case(
      sentence: "A metered request whose header names an unknown file is 404", status: 404,
      code: nil, fields: [("x-file-id", "file-9")]),
    Case(
      sentence: "A free request whose header names an unknown container is 404", status: 404,
      code: nil, method: "GET", path: "/v1/files", fields: [("openai-container-id", "cntr_9")]),
  ]

  private static let credentials = [
    Case(
      sentence: "A request without a key is 401", status: 401, code: "invalid_api_key",
      credential: nil),
    Case(
      sentence: "A key that nobody has is 401", status: 401, code: "invalid_api_key",
      credential: "Bearer sk-ctr-other"),
    Case(
      sentence: "A credential of another kind is 401", status: 401, code: "invalid_api_key",
      credential: "Basic \(GatewayBench.key)"),
    Case(
      sentence: "An expired key is 401", status: 401, code: "invalid_api_key",
      key: ", expires: 2020-01-01"),
    Case(
      sentence: "A suspended client's key is 429", status: 429, code: "budget_paused",
      client: "status: suspended"),
    Case(
      sentence: "A key for other models is 403", status: 403, code: "model_not_allowed",
      key: ", models: [other]"),
    Case(
      sentence: "A key for other operations is 403", status: 403, code: "operation_not_allowed",
      key: ", operations: [embedding]"),
  ]

  private static let paths = [
    Case(
      sentence: "A path outside of the API is 404", status: 404, code: "unknown_path",
      path: "/chat"),
    Case(
      sentence: "A provider that isn't configured is 404", status: 404, code: "unknown_provider",
      path: "/mistral/v1/chat/completions"),
    Case(
      sentence: "A provider that a field names and nobody configured is 404", status: 404,
      code: "unknown_provider", method: "GET", path: "/v1/files",
      fields: [("x-catraca-provider", "mistral")]),
    Case(
      sentence: "An escaped path is 400", status: 400, code: "invalid_path",
      path: "/v1/chat/%63ompletions"),
    Case(
      sentence: "An endpoint without a meter is 403", status: 403, code: "endpoint_not_metered",
      path: "/v1/fine_tuning/jobs"),
    Case(
      sentence: "A metered endpoint by another method is 403", status: 403,
      code: "endpoint_not_metered", method: "PUT"),
    Case(
      sentence: "The health page by another method is 405", status: 405,
      code: "method_not_allowed", path: "/healthz"),
    Case(
      sentence: "An unknown model is 404 in the list", status: 404,
      code: "model_not_found", method: "GET", path: "/v1/models/none"),
    Case(
      sentence: "A realtime session without an upgrade is 426", status: 426,
      code: "upgrade_required", method: "GET", path: "/v1/realtime?model=gpt-test-live"),
    Case(
      sentence: "Responses over a WebSocket are 426", status: 426,
      code: "websocket_not_supported", method: "GET", path: "/v1/responses",
      fields: [("connection", "upgrade"), ("upgrade", "websocket")]),
    Case(
      sentence: "Another client's file is 404 as one that nobody has", status: 404, code: nil,
      method: "GET", path: "/v1/files/file-other"),
    Case(
      sentence: "Another client's response is 400 as what came before", status: 400,
      code: "previous_response_not_found", path: "/v1/responses",
      body: """
        {"model": "gpt-test", "input": "hello", "previous_response_id": "resp_other"}
        """),
  ]

  private static let bodies = [
    Case(
      sentence: "A body that isn't JSON is 400", status: 400, code: "invalid_json", body: "{"),
    Case(
      sentence: "A body that is a list is 400", status: 400, code: "invalid_json", body: "[]"),
    Case(
      sentence: "A body without a model is 400", status: 400, code: "invalid_json",
      body: "{\"messages\": []}"),
    Case(
      sentence: "A member that stands twice is 400", status: 400, code: "invalid_json",
      body: "{\"model\": \"gpt-test\", \"model\": \"gpt-test\", \"messages\": []}"),
    Case(
      sentence: "A model without a price is 400", status: 400, code: "model_not_priced",
      body: "{\"model\": \"other\", \"messages\": []}"),
    Case(
      sentence: "Metadata that is no object is 400", status: 400, code: "invalid_json",
      fields: [("x-catraca-metadata", "[]")]),
    Case(
      sentence: "A body above the limit is 413", status: 413, code: "request_too_large",
      main: "limits: { request_body: 1KiB }",
      body: String(repeating: " ", count: 1_025)),
    Case(
      sentence: "A body in a coding that nobody reads is 415", status: 415,
      code: "unsupported_content_encoding", fields: [("content-encoding", "snappy")]),
    Case(
      sentence: "A batch of a file that the client doesn't have is 404", status: 404, code: nil,
      path: "/v1/batches",
      body: """
        {"input_file_id": "file-9", "endpoint": "/v1/chat/completions", \
        "completion_window": "24h"}
        """),
  ]

  @Test("A missing price is noted with the model and the client that needs it")
  func missingPrice() async throws {
    try await GatewayBench.run { bench in
      await bench.send("/v1/chat/completions", "{\"model\": \"other\", \"messages\": []}")
      #expect(await bench.client.answer().code == "model_not_priced")
      #expect(bench.ledger.sightings.count == 1)
    }
  }

  @Test("After as many unknown keys as are allowed, the address is told to wait, and others aren't")
  func guessing() async throws {
    try await GatewayBench.run { bench in
      var statuses: [Int] = []
      for number in 0..<5 {
        // After a refusal that comes before the body, the connection ends.
        let client = try bench.connect(from: "192.0.2.9")
        await client.send("POST", "/v1/chat/completions", Self.unknownKey(number), Self.body)
        statuses.append(await client.answer().status)
      }
      #expect(statuses == [401, 401, 401, 429, 429])
      await bench.client.send("POST", "/v1/chat/completions", Self.unknownKey(0), Self.body)
      #expect(await bench.client.answer().status == 401)
    }
  }

  private static func unknownKey(_ number: Int) -> [(String, String)] {
    [("authorization", "Bearer sk-ctr-\(number)")]
  }

  @Test("A key's requests a minute are counted, refused ones not forwarded")
  func rate() async throws {
    try await GatewayBench.run(key: ", requests_per_minute: 1") { bench in
      bench.provider.script = [{ $0.answer(200, ProviderText.whole) }]
      await bench.chat()
      #expect(await bench.client.answer().status == 200)
      await bench.chat()
      let answer = await bench.client.answer()
      #expect((answer.status, answer.code) == (429, "rate_limit_exceeded"))
      #expect(answer.fields["retry-after"] != nil)
      #expect(bench.provider.calls.count == 1)
    }
  }

  @Test("A gateway that stops refuses with 503")
  func stopping() async throws {
    try await GatewayBench.run { bench in
      bench.gateway.stop()
      await bench.chat()
      let answer = await bench.client.answer()
      #expect((answer.status, answer.code) == (503, "shutting_down"))
    }
  }

  @Test("A client has no more work under way that outlives its answers than its share")
  func share() async throws {
    try await GatewayBench.run { bench in
      var places: [DeferredPlace] = []
      for _ in 0..<DeferredWorks.largestShare {
        places.append(try bench.gateway.deferredWorks.takePlace(for: "acme"))
      }
      await bench.send(
        "/v1/responses", "{\"model\": \"gpt-test\", \"input\": \"hello\", \"background\": true}")
      let answer = await bench.client.answer()
      #expect((answer.status, answer.code) == (429, "rate_limit_exceeded"))
      #expect(answer.fields["retry-after"] == "60")
      withExtendedLifetime(places) {}
    }
  }

  @Test(
    "What isn't a request is refused by the listener, in the form of an API",
    arguments: [
      ("GET / HTTP/1.1\r\nx y: z\r\n\r\n", 400, "invalid_request"),
      (
        "GET / HTTP/1.1\r\nhost: a\r\nx: \(String(repeating: "y", count: 600))\r\n\r\n", 431,
        "request_too_large"
      ),
    ])
  func malformed(bytes: String, status: Int, code: String) async throws {
    try await GatewayBench.run(limits: HTTPServerLimits(header: 512)) { bench in
      await bench.client.send(Array(bytes.utf8))
      let answer = await bench.client.answer()
      #expect(answer.status == status)
      #expect(answer.code == code)
    }
  }

  @Test("A body that doesn't come in time is 408")
  func slowBody() async throws {
    let limits = HTTPServerLimits(bodyTimeout: .milliseconds(5))
    try await GatewayBench.run(limits: limits) { bench in
      let head = """
        POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\
        authorization: Bearer \(GatewayBench.key)\r\n\r\n
        """
      await bench.client.send(Array(head.utf8))
      let answer = await bench.client.answer()
      #expect(answer.status == 408)
      #expect(answer.code == "request_timeout")
    }
  }
}
