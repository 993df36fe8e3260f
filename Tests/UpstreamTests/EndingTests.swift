import EventLoop
import HTTP
import Testing

@testable import Upstream

@Suite("A transfer's end")
struct EndingTests {
  @Test("A refused connection is unreachable, and nothing was sent")
  func refused() async throws {
    try await withServer { _, _ in
    } _: { client, server in
      server.close()
      let transfer = try client.start(.to(server.url))
      await #expect(throws: UpstreamError.unreachable(.connection)) { try await transfer.head() }
      #expect(!transfer.wasSent)
    }
  }

  @Test(
    "An address that isn't one of HTTP's is unreachable",
    arguments: [
      "ftp://127.0.0.1/", "http://", "not a url", "http://a\0b/", "http://u:p@127.0.0.1/",
    ])
  func address(_ url: String) async throws {
    try await withServer { _, _ in
    } _: { client, _ in
      await #expect(throws: UpstreamError.unreachable(.address)) {
        try await client.start(.to(url)).head()
      }
    }
  }

  @Test("A name that doesn't exist is unreachable without blocking the loop")
  func name() async throws {
    try await withServer { _, _ in
    } _: { client, _ in
      var request = UpstreamRequest.to("http://nowhere.invalid/")
      request.connectTimeout = .milliseconds(300)
      let transfer = try client.start(request)
      let error = await #expect(throws: UpstreamError.self) { try await transfer.head() }
      // Where no name server answers, the timeout comes first.
      #expect(error == .unreachable(.name) || error == .timeout(wasSent: false))
    }
  }

  @Test("Silence for the idle timeout ends a transfer, before the head and after it")
  func idle() async throws {
    try await withServer { connection, number in
      _ = await connection.readHead()
      if number == 2 { await connection.write("HTTP/1.1 200 OK\r\n\r\nhello") }
      await connection.waitForHangup()
    } _: { client, server in
      var request = UpstreamRequest.to(server.url)
      request.idleTimeout = .milliseconds(300)
      let first = try client.start(request)
      await #expect(throws: UpstreamError.timeout(wasSent: true)) { try await first.head() }
      // A busy machine brings the head late, too.
      request.idleTimeout = .seconds(2)
      let second = try client.start(request)
      var part: [UInt8] = []
      #expect(try await second.next(into: &part))
      await #expect(throws: UpstreamError.timeout(wasSent: true)) {
        _ = try await second.next(into: &part)
      }
    }
  }

  @Test("A provider that goes on sending isn't idle, however slow it is as a whole")
  func slow() async throws {
    try await onLoop { loop in
      let client = UpstreamClient(on: loop)
      let server = try RawServer(on: loop) { connection, _ in
        _ = await connection.readHead()
        await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n")
        for _ in 0..<16 {
          await loop.sleep(for: .milliseconds(140))
          await connection.write("x")
        }
      }
      defer {
        server.close()
        client.close()
      }
      var request = UpstreamRequest.to(server.url)
      request.idleTimeout = .seconds(2)
      let transfer = try client.start(request)
      #expect(try await transfer.body().count == 16)
    }
  }

  @Test("Waiting for an owner who doesn't read isn't the provider's silence")
  func unread() async throws {
    let size = 4 << 20
    try await withServer { connection, _ in
      _ = await connection.readHead()
      await connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
      await connection.write([UInt8](repeating: 1, count: size))
    } _: { client, server in
      var request = UpstreamRequest.to(server.url)
      request.idleTimeout = .seconds(2)
      let transfer = try client.start(request)
      _ = try await transfer.head()
      await client.loop.sleep(for: .milliseconds(2_200))
      #expect(try await transfer.body().count == size)
    }
  }

  /// Where a transfer is when it is cancelled.
  enum Stage: CaseIterable, Sendable {
    case notStarted, beforeHead, inBody, whileUnread, ended

    /// The provider's answer by then.
    var answer: String {
      switch self {
      case .notStarted, .beforeHead: ""
      case .inBody: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"
      case .whileUnread: "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 8 << 20)
      case .ended: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n!"
      }
    }
  }

  @Test("It can be cancelled at any stage, twice, by another task", arguments: Stage.allCases)
  func cancel(at stage: Stage) async throws {
    let waiter = Waiter<Void>()
    nonisolated(unsafe) let arrived = waiter
    try await withServer { connection, _ in
      _ = await connection.readHead()
      arrived.wake()
      await connection.write(stage.answer)
      await connection.waitForHangup()
    } _: { client, server in
      let transfer = try client.start(.to(server.url))
      var part: [UInt8] = []
      switch stage {
      case .notStarted: break
      case .beforeHead: await arrived.wait()
      case .inBody, .whileUnread: #expect(try await transfer.next(into: &part))
      case .ended: #expect(try await transfer.body() == Array("!".utf8))
      }
      nonisolated(unsafe) let shared = transfer
      // Runs on the same loop once this task waits.
      Task(executorPreference: client.loop) {
        shared.cancel()
        shared.cancel()
      }
      guard stage != .ended else {
        #expect(try await transfer.next(into: &part) == false)
        return
      }
      await #expect(throws: UpstreamError.cancelled(wasSent: stage != .notStarted)) {
        while try await transfer.next(into: &part) {}
      }
      await #expect(throws: UpstreamError.cancelled(wasSent: stage != .notStarted)) {
        try await transfer.head()
      }
    }
  }

  @Test("Dropping a transfer cancels it: the provider sees the connection end")
  func drop() async throws {
    try await onLoop { loop in
      let client = UpstreamClient(on: loop)
      let waiter = Waiter<Void>()
      nonisolated(unsafe) let hungUp = waiter
      let server = try RawServer(on: loop) { connection, _ in
        _ = await connection.readHead()
        await connection.write("HTTP/1.1 200 OK\r\n\r\n")
        await connection.waitForHangup()
        hungUp.wake()
      }
      defer {
        server.close()
        client.close()
      }
      do {
        let transfer = try client.start(.to(server.url))
        _ = try await transfer.head()
        #expect(client.transferCount == 1)
      }
      #expect(client.transferCount == 0)
      await waiter.wait()
    }
  }

  @Test("More transfers than the settings allow are refused")
  func tooMany() async throws {
    var settings = UpstreamSettings()
    settings.maximumTransfers = 1
    try await withServer(settings: settings) { connection, _ in
      _ = await connection.readHead()
      await connection.write("HTTP/1.1 204 No Content\r\n\r\n")
    } _: { client, server in
      let transfer = try client.start(.to(server.url))
      #expect(throws: UpstreamError.tooManyTransfers) { _ = try client.start(.to(server.url)) }
      #expect(try await transfer.head().status == 204)
      #expect(try await transfer.body() == [])
      #expect(try await client.start(.to(server.url)).head().status == 204)
    }
  }
}
