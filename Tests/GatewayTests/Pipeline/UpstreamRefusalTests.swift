import InMemory
import Testing
import Upstream

@testable import Gateway

/// One failure of a provider has one answer, whichever part of Catraca asked the provider.
@Suite("A provider that fails is told the same way everywhere", .timeLimit(.minutes(1)))
struct UpstreamRefusalTests {
  /// A request that makes Catraca ask a provider.
  struct Door: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var method = "POST"
    let path: String
    var body = ""
  }

  struct Failure: CustomTestStringConvertible, Sendable {
    let error: UpstreamError
    let status: Int
    let code: String

    var testDescription: String { "\(error)" }
  }

  private static let doors = [
    Door(
      testDescription: "a metered request", path: "/v1/chat/completions", body: RefusalTests.body),
    Door(testDescription: "a free read", method: "GET", path: "/v1/files/file-1"),
    Door(testDescription: "a free list", method: "GET", path: "/v1/files"),
    Door(
      testDescription: "the input file of a batch", path: "/v1/batches",
      body: """
        {"input_file_id": "file-1", "endpoint": "/v1/chat/completions", \
        "completion_window": "24h"}
        """),
  ]

  private static let failures = [
    Failure(error: .unreachable(.connection), status: 502, code: "upstream_unreachable"),
    Failure(error: .timeout(wasSent: false), status: 502, code: "upstream_unreachable"),
    Failure(error: .timeout(wasSent: true), status: 504, code: "upstream_timeout"),
    Failure(error: .broken(.noAnswer), status: 502, code: "upstream_invalid_response"),
    Failure(error: .invalidResponse, status: 502, code: "upstream_invalid_response"),
    Failure(error: .tooManyTransfers, status: 503, code: "overloaded"),
  ]

  @Test("The client gets the same status and code", arguments: doors, failures)
  func answer(_ door: Door, _ failure: Failure) async throws {
    try await GatewayBench.run { bench in
      bench.owners.add("file-1", of: "acme")
      bench.provider.script = [{ $0.fail(failure.error) }]
      await bench.client.send(
        door.method, door.path,
        [
          ("authorization", "Bearer \(GatewayBench.key)"), ("content-type", "application/json"),
        ], door.body)
      let answer = await bench.client.answer()
      #expect((answer.status, answer.code) == (failure.status, failure.code))
    }
  }
}
