import EventLoop
import HTTP
import Testing

@testable import Upstream

/// Answers each request on a connection with `ok` and keeps it open.
@Sendable func answerAll(_ connection: RawConnection, _ number: Int) async {
  while await !connection.readHead().isEmpty {
    await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
  }
}

@Suite("Connections")
struct ConnectionTests {
  @Test("One connection serves one request after the other")
  func reuse() async throws {
    try await withServer(answerAll) { client, server in
      for round in 0..<20 {
        let transfer = try client.start(.to(server.url))
        #expect(try await transfer.body() == Array("ok".utf8))
        #expect(transfer.isReused == (round > 0))
      }
      #expect(server.connectionCount == 1)
    }
  }

  @Test("Each request goes to its own address, whichever the one before it went to")
  func addresses() async throws {
    let targets = ["/a", "/a", "/b?c=%20d", "/../e", "/", "/a"]
    let seen = Lock<[String]>([])
    try await withServer { connection, _ in
      while true {
        let head = await connection.readHead()
        guard let target = head.split(separator: " ").dropFirst().first else { return }
        seen.withLock { $0.append(String(target)) }
        await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    } _: { client, server in
      for target in targets {
        #expect(try await client.start(.to(server.url + target)).body() == Array("ok".utf8))
      }
      #expect(server.connectionCount == 1)
      await #expect(throws: UpstreamError.unreachable(.address)) {
        try await client.start(.to("http://u:p@127.0.0.1/")).head()
      }
      _ = try await client.start(.to(server.url + "/last")).body()
    }
    #expect(seen.withLock { $0 } == targets + ["/last"])
  }

  @Test("A request that only reads is repeated once when its pooled connection dies")
  func staleConnection() async throws {
    let requests = Lock(0)
    try await withServer { connection, number in
      while await !connection.readHead().isEmpty {
        requests.withLock { $0 += 1 }
        // The first connection answers once, and closes at the second request.
        if number == 1 && requests.withLock({ $0 }) == 2 { return }
        await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    } _: { client, server in
      for _ in 0..<2 {
        let transfer = try client.start(.to(server.url))
        #expect(try await transfer.body() == Array("ok".utf8))
      }
      #expect(server.connectionCount == 2)
      #expect(requests.withLock { $0 } == 3)
    }
  }

  @Test("A request isn't repeated twice, however many pooled connections die")
  func staleConnections() async throws {
    let requests = Lock(0)
    try await withServer { connection, _ in
      _ = await connection.readHead()
      await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      _ = await connection.readHead()
      requests.withLock { $0 += 1 }
    } _: { client, server in
      let transfers = try (0..<5).map { _ in try client.start(.to(server.url)) }
      for transfer in transfers { _ = try await transfer.body() }
      #expect(server.connectionCount == 5)
      let last = try client.start(.to(server.url))
      await #expect(throws: UpstreamError.broken(.noAnswer)) { try await last.head() }
      #expect(requests.withLock { $0 } == 2)
    }
  }

  @Test(
    "A request that makes something is sent once, also when its pooled connection dies",
    arguments: [Method.post, .put, .patch, .delete])
  func neverTwice(_ method: Method) async throws {
    let requests = Lock(0)
    try await withServer { connection, number in
      while await !connection.readHead().isEmpty {
        let count = requests.withLock {
          $0 += 1; return $0
        }
        if count == 2 { return }
        await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    } _: { client, server in
      _ = try await client.start(.to(server.url)).body()
      let last = try client.start(.to(server.url, method, body: .bytes([1])))
      await #expect(throws: UpstreamError.broken(.noAnswer)) { try await last.head() }
      #expect(last.wasSent)
      #expect(requests.withLock { $0 } == 2)
    }
  }

  @Test("A connection that broke in the middle of a response isn't tried again")
  func noRepetition() async throws {
    let requests = Lock(0)
    try await withServer { connection, _ in
      while await !connection.readHead().isEmpty {
        if requests.withLock({
          $0 += 1; return $0
        }) == 2 {
          await connection.write("HTTP/1.1 200 OK\r\n")
          return
        }
        await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    } _: { client, server in
      _ = try await client.start(.to(server.url)).body()
      let second = try client.start(.to(server.url))
      await #expect(throws: UpstreamError.broken(.truncated)) { try await second.head() }
      #expect(server.connectionCount == 1)
    }
  }

  @Test("At the limit of connections to a host transfers wait their turn")
  func connectionLimit() async throws {
    var settings = UpstreamSettings()
    settings.maximumConnectionsPerHost = 2
    try await withServer(settings: settings, answerAll) { client, server in
      let transfers = try (0..<20).map { _ in try client.start(.to(server.url)) }
      for transfer in transfers { #expect(try await transfer.body() == Array("ok".utf8)) }
      #expect(server.connectionCount <= 2)
    }
  }

  @Test("Waiting for a connection counts as connecting")
  func connectionWait() async throws {
    var settings = UpstreamSettings()
    settings.maximumConnectionsPerHost = 1
    try await withServer(settings: settings) { connection, number in
      if number > 1 { return await answerAll(connection, number) }
      _ = await connection.readHead()
      await connection.waitForHangup()
    } _: { client, server in
      let first = try client.start(.to(server.url))
      var request = UpstreamRequest.to(server.url)
      request.connectTimeout = .milliseconds(30)
      let second = try client.start(request)
      await #expect(throws: UpstreamError.timeout(wasSent: false)) { try await second.head() }
      first.cancel()
      // Its remains are no obstacle to others.
      let others = try (0..<2).map { _ in try client.start(.to(server.url)) }
      for transfer in others { #expect(try await transfer.body() == Array("ok".utf8)) }
    }
  }

  @Test("A reader who stops holds the provider back, with bounded memory")
  func backPressure() async throws {
    let size = 32 << 20
    try await withServer { connection, _ in
      _ = await connection.readHead()
      await connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
      var byte: UInt8 = 0
      for _ in 0..<(size / 65_536) {
        await connection.write([UInt8](repeating: byte, count: 65_536))
        byte &+= 1
      }
    } _: { client, server in
      let transfer = try client.start(.to(server.url))
      var part: [UInt8] = []
      var count = 0
      var largest = 0
      while try await transfer.next(into: &part) {
        #expect(part[0] == UInt8(truncatingIfNeeded: count / 65_536))
        count += part.count
        largest = max(largest, part.count)
        // Lets the provider run ahead as far as it can.
        if count < 4 << 20 {
          for _ in 0..<50 { await client.loop.sleep(for: .zero) }
        }
      }
      #expect(count == size)
      #expect(largest >= Transfer.highWaterMark)
      #expect(largest <= Transfer.highWaterMark + 16_384)
    }
  }

  @Test("A thousand transfers run at once")
  func thousand() async throws {
    try await withServer { connection, _ in
      while true {
        let head = await connection.readHead()
        guard !head.isEmpty else { return }
        let path = head.split(separator: " ")[1]
        await connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(path.count)\r\n\r\n\(path)")
      }
    } _: { client, server in
      let transfers = try (0..<1_000).map { try client.start(.to("\(server.url)/\($0)")) }
      for (number, transfer) in transfers.enumerated() {
        #expect(try await transfer.body() == Array("/\(number)".utf8))
      }
    }
  }
}
