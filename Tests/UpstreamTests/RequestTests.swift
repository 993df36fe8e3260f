import EventLoop
import HTTP
import Testing

@testable import Upstream

/// Bytes of which no two neighbours are equal, nor two pages.
private func pattern(_ count: Int) -> [UInt8] {
  let block = (0..<251).map { UInt8($0) }
  var bytes: [UInt8] = []
  while bytes.count < count { bytes += block }
  bytes.removeLast(bytes.count - count)
  return bytes
}

@Suite("A transfer's request")
struct RequestTests {
  /// A request and the head that the provider must see, `HOST` in place of the server's address.
  struct Form: Sendable, CustomTestStringConvertible {
    let method: String
    let body: UpstreamBody
    var fields: [(FieldName, String)] = []
    let head: [String]

    var testDescription: String { head.joined(separator: " | ") }
  }

  static let forms = [
    Form(method: "GET", body: .none, head: ["GET /v1/x?y=%20z HTTP/1.1", "Host: HOST"]),
    Form(method: "HEAD", body: .bytes([1]), head: ["HEAD /v1/x?y=%20z HTTP/1.1", "Host: HOST"]),
    Form(method: "DELETE", body: .none, head: ["DELETE /v1/x?y=%20z HTTP/1.1", "Host: HOST"]),
    Form(
      method: "POST", body: .none,
      head: ["POST /v1/x?y=%20z HTTP/1.1", "Host: HOST", "Content-Length: 0"]),
    Form(
      method: "PATCH", body: .bytes([]),
      head: ["PATCH /v1/x?y=%20z HTTP/1.1", "Host: HOST", "Content-Length: 0"]),
    Form(
      method: "PUT", body: .bytes([1, 2, 3]),
      head: ["PUT /v1/x?y=%20z HTTP/1.1", "Host: HOST", "Content-Length: 3"]),
    Form(
      method: "QUERY", body: .bytes([1]), fields: [("content-type", "application/json")],
      head: [
        "QUERY /v1/x?y=%20z HTTP/1.1", "Host: HOST", "content-type: application/json",
        "Content-Length: 1",
      ]),
    Form(
      method: "GET", body: .none,
      fields: [
        ("x-a", "1"), ("host", "other"), ("x-empty", ""), ("content-length", "7"), ("x-a", "2"),
        ("transfer-encoding", "chunked"), ("connection", "close"), ("accept", "*/*"),
        ("expect", "100-continue"),
      ],
      head: [
        "GET /v1/x?y=%20z HTTP/1.1", "Host: HOST", "x-a: 1", "x-empty:", "x-a: 2", "accept: */*",
      ]),
  ]

  @Test("The provider sees the caller's fields and nothing of libcurl's own", arguments: forms)
  func head(of form: Form) async throws {
    let seen = Lock<[String]>([])
    try await withServer { connection, _ in
      let head = await connection.readHead()
      seen.withLock { $0 = head.split(separator: "\r\n").map(String.init) }
      await connection.write("HTTP/1.1 204 No Content\r\n\r\n")
    } _: { client, server in
      var request = UpstreamRequest.to(
        server.url + "/v1/x?y=%20z", try Method(form.method), body: form.body)
      for (name, value) in form.fields { try request.fields.append(name, value) }
      let transfer = try client.start(request)
      #expect(try await transfer.head().status == 204)
      #expect(try await transfer.body() == [])
      let host = String(server.url.dropFirst("http://".count))
      let expected = form.head.map { $0.replacing("HOST", with: host) }
      #expect(seen.withLock { $0 } == expected)
    }
  }

  @Test(
    "A body of bytes arrives whole, whatever its size",
    arguments: [1, 65_535, 65_536, 65_537, 3_000_000])
  func bytes(_ count: Int) async throws {
    let body = pattern(count)
    try await withServer { connection, _ in
      #expect(await connection.readHead().contains("Content-Length: \(count)\r\n"))
      #expect(await connection.read(count) == body)
      await connection.write("HTTP/1.1 204 No Content\r\n\r\n")
    } _: { client, server in
      let transfer = try client.start(.to(server.url, .post, body: .bytes(body)))
      #expect(try await transfer.head().status == 204)
      #expect(try await transfer.body() == [])
    }
  }

  @Test("A streamed body of known length arrives with its length", arguments: [0, 10, 2_000_000])
  func streamWithLength(_ count: Int) async throws {
    let body = pattern(count)
    try await withServer { connection, _ in
      #expect(await connection.readHead().contains("Content-Length: \(count)\r\n"))
      #expect(await connection.read(count) == body)
      await connection.write("HTTP/1.1 204 No Content\r\n\r\n")
    } _: { client, server in
      let transfer = try client.start(
        .to(server.url, .post, body: .stream(length: Int64(count))))
      for start in stride(from: 0, to: count, by: 10_000) {
        #expect(try await transfer.send(Array(body[start..<min(count, start + 10_000)])))
      }
      transfer.finishSending()
      #expect(try await transfer.head().status == 204)
      #expect(try await transfer.body() == [])
    }
  }

  @Test("A streamed body of unknown length arrives in chunks, as it is handed over")
  func streamInChunks() async throws {
    try await withServer { connection, _ in
      #expect(await connection.readHead().contains("Transfer-Encoding: chunked\r\n"))
      #expect(await connection.read(until: "one\r\n") == "3\r\none\r\n")
      await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n")
      #expect(await connection.read(until: "0\r\n\r\n") == "3\r\ntwo\r\n0\r\n\r\n")
      await connection.write("done")
    } _: { client, server in
      let transfer = try client.start(.to(server.url, .post, body: .stream(length: nil)))
      #expect(try await transfer.send(Array("one".utf8)))
      #expect(try await transfer.head().status == 200)
      #expect(try await transfer.send(Array("two".utf8)))
      transfer.finishSending()
      #expect(try await transfer.body() == Array("done".utf8))
    }
  }

  @Test("A provider that answers before it has read all of a body still gets all of it")
  func answerBeforeTheBody() async throws {
    let body = pattern(20_000_000)
    let waiter = Waiter<Void>()
    // Both sides run on the loop's one thread.
    nonisolated(unsafe) let answered = waiter
    try await withServer { connection, _ in
      _ = await connection.readHead()
      await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n")
      await answered.wait()
      #expect(await connection.read(body.count) == body)
      await connection.write("done")
    } _: { client, server in
      let transfer = try client.start(.to(server.url, .post, body: .bytes(body)))
      #expect(try await transfer.head().status == 200)
      answered.wake()
      #expect(try await transfer.body() == Array("done".utf8))
    }
  }

  @Test("A provider that doesn't read holds the sender back, and an early refusal frees it")
  func earlyAnswer() async throws {
    let waiter = Waiter<Void>()
    nonisolated(unsafe) let freed = waiter
    try await withServer { connection, _ in
      _ = await connection.readHead()
      _ = await connection.read(1_000_000)
      await connection.write("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\n")
      await freed.wait()
      await connection.write("no")
      await connection.waitForHangup()
    } _: { client, server in
      let transfer = try client.start(.to(server.url, .post, body: .stream(length: nil)))
      let part = [UInt8](repeating: 7, count: 100_000)
      var sent = 0
      while try await transfer.send(part) { sent += part.count }
      #expect(sent >= 1_000_000 - UploadQueue.highWaterMark)
      freed.wake()
      #expect(try await transfer.head().status == 413)
      #expect(try await transfer.body() == Array("no".utf8))
      #expect(try await !transfer.send(part))
    }
  }

  @Test("A body that ends before its length cancels the transfer")
  func shortBody() async throws {
    try await withServer { connection, _ in
      _ = await connection.readHead()
      await connection.waitForHangup()
    } _: { client, server in
      let transfer = try client.start(.to(server.url, .post, body: .stream(length: 5)))
      _ = try await transfer.send([1, 2])
      transfer.finishSending()
      await #expect(throws: UpstreamError.self) { try await transfer.head() }
    }
  }
}
