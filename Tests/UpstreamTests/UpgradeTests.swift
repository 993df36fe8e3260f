import EventLoop
import HTTP
import Testing

@testable import Upstream

@Suite("An upgraded connection")
struct UpgradeTests {
  private func request(_ url: String) throws -> UpstreamRequest {
    var request = UpstreamRequest.to(url, body: .upgrade)
    try request.fields.append(.upgrade, "websocket")
    return request
  }

  @Test("Bytes go both ways as they are, whoever speaks first")
  func duplex() async throws {
    try await withServer { connection, _ in
      let head = await connection.readHead()
      #expect(head.hasPrefix("GET / HTTP/1.1\r\n"))
      #expect(head.contains("Connection: Upgrade\r\n") && head.contains("upgrade: websocket\r\n"))
      #expect(!head.lowercased().contains("transfer-encoding"))
      #expect(!head.lowercased().contains("content-length"))
      await connection.write(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhi")
      #expect(await connection.read(5) == Array("hello".utf8))
      await connection.write("and again")
      #expect(await connection.read(5) == Array("there".utf8))
      await connection.write("the end")
    } _: { client, server in
      let transfer = try client.start(try request(server.url))
      #expect(try await transfer.head().status == 101)
      var bytes: [UInt8] = []
      var piece: [UInt8] = []
      while bytes.count < 2, try await transfer.next(into: &piece) { bytes += piece }
      #expect(bytes == Array("hi".utf8))
      #expect(try await transfer.send(Array("hello".utf8)))
      while bytes.count < 11, try await transfer.next(into: &piece) { bytes += piece }
      #expect(try await transfer.send(Array("there".utf8)))
      while try await transfer.next(into: &piece) { bytes += piece }
      #expect(bytes == Array("hiand againthe end".utf8))
    }
  }

  @Test("A provider that refuses answers as to any request", arguments: [200, 401, 426])
  func refused(_ status: Int) async throws {
    try await withServer { connection, _ in
      _ = await connection.readHead()
      await connection.write("HTTP/1.1 \(status) No\r\nContent-Length: 2\r\n\r\nno")
    } _: { client, server in
      let transfer = try client.start(try request(server.url))
      #expect(try await transfer.head().status == status)
      transfer.finishSending()
      #expect(try await transfer.body() == Array("no".utf8))
    }
  }

  @Test("What is sent much waits for a provider that doesn't read")
  func backPressure() async throws {
    try await withServer { connection, _ in
      _ = await connection.readHead()
      await connection.write("HTTP/1.1 101 Switching Protocols\r\n\r\n")
      #expect(await connection.read(8 << 20).count == 8 << 20)
      await connection.write("done")
    } _: { client, server in
      let transfer = try client.start(try request(server.url))
      #expect(try await transfer.head().status == 101)
      let piece = [UInt8](repeating: 7, count: 64 << 10)
      for _ in 0..<128 { #expect(try await transfer.send(piece)) }
      var answer: [UInt8] = []
      #expect(try await transfer.next(into: &answer))
      #expect(answer == Array("done".utf8))
      transfer.cancel()
    }
  }

  @Test("A 101 that nobody asked for isn't HTTP")
  func unasked() async throws {
    try await withServer { connection, _ in
      _ = await connection.readHead()
      await connection.write("HTTP/1.1 101 Switching Protocols\r\n\r\n")
      await connection.waitForHangup()
    } _: { client, server in
      let transfer = try client.start(.to(server.url))
      await #expect(throws: UpstreamError.invalidResponse) { try await transfer.head() }
    }
  }

  @Test("A provider that never answers is a timeout; one that is silent afterwards is not")
  func silence() async throws {
    try await withServer { connection, number in
      _ = await connection.readHead()
      guard number == 2 else { return await connection.waitForHangup() }
      await connection.write("HTTP/1.1 101 Switching Protocols\r\n\r\n")
      #expect(await connection.read(1) == [7])
    } _: { client, server in
      var request = try request(server.url)
      request.idleTimeout = .milliseconds(100)
      let unanswered = try client.start(request)
      await #expect(throws: UpstreamError.timeout(wasSent: true)) { try await unanswered.head() }
      // A busy machine brings the head late, too.
      request.idleTimeout = .seconds(2)
      let silent = try client.start(request)
      #expect(try await silent.head().status == 101)
      await client.loop.sleep(for: .milliseconds(2_200))
      #expect(try await silent.send([7]))
      var rest: [UInt8] = []
      #expect(try await !silent.next(into: &rest))
    }
  }
}
