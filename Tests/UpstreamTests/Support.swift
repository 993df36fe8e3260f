import EventLoop
import HTTP
import Testing

@testable import Upstream

extension UpstreamRequest {
  /// A request with timeouts that no test waits for.
  static func to(
    _ url: String, _ method: HTTP.Method = .get, body: UpstreamBody = .none
  ) -> UpstreamRequest {
    UpstreamRequest(
      url: url, method: method, body: body, connectTimeout: .seconds(20), idleTimeout: .seconds(20))
  }
}

extension Transfer {
  /// The whole body.
  func body() async throws(UpstreamError) -> [UInt8] {
    var whole: [UInt8] = []
    var part: [UInt8] = []
    while try await next(into: &part) { whole += part }
    return whole
  }
}

/// Runs `body` with a client and a server, and checks that no transfer is left.
func withServer(
  settings: UpstreamSettings = UpstreamSettings(),
  _ script: @escaping @Sendable (RawConnection, _ number: Int) async -> Void,
  _ body: @escaping @Sendable (UpstreamClient, RawServer) async throws -> Void
) async throws {
  try await onLoop { loop in
    let client = UpstreamClient(on: loop, settings: settings)
    let server = try RawServer(on: loop, script)
    defer {
      server.close()
      client.close()
    }
    try await body(client, server)
    #expect(client.transferCount == 0)
  }
}
