import HTTP
import Testing

@testable import Upstream

@Suite("A transfer's response")
struct ResponseTests {
  /// The bytes that a provider writes before it closes, and the part that is received.
  struct Answer: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: String
    let body: String
    var error: UpstreamError?

    var testDescription: String { name }
  }

  static let answers = [
    Answer(
      name: "with a length", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
      body: "hello"),
    Answer(
      name: "in chunks",
      bytes:
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
      body: "hello"),
    Answer(
      name: "in chunks with trailers",
      bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: 1\r\n\r\n",
      body: "hello"),
    Answer(
      name: "up to the end of the connection", bytes: "HTTP/1.1 200 OK\r\n\r\nhello",
      body: "hello"),
    Answer(
      name: "after interim responses",
      bytes: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n"
        + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
      body: "hello"),
    Answer(
      name: "without a body", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", body: ""),
    Answer(
      name: "shorter than its length", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello",
      body: "hello", error: .broken(.truncated)),
    Answer(
      name: "cut between two chunks",
      bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
      body: "hello", error: .broken(.truncated)),
    Answer(
      name: "with a broken chunk",
      bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n",
      body: "hello", error: .broken(.connection)),
  ]

  @Test("A body arrives as it was sent, and one that was cut ends in an error", arguments: answers)
  func body(of answer: Answer) async throws {
    try await withServer { connection, _ in
      _ = await connection.readHead()
      await connection.write(answer.bytes)
    } _: { client, server in
      let transfer = try client.start(.to(server.url))
      let head = try await transfer.head()
      #expect(head.status == 200)
      #expect(head.version == .http11)
      var whole: [UInt8] = []
      var part: [UInt8] = []
      var failure: UpstreamError?
      do throws(UpstreamError) {
        while try await transfer.next(into: &part) { whole += part }
      } catch {
        failure = error
      }
      #expect(String(decoding: whole, as: UTF8.self) == answer.body)
      #expect(failure == answer.error)
    }
  }

  @Test(
    "What isn't HTTP is an invalid response",
    arguments: [
      "SSH-2.0-OpenSSH_9.2\r\n", "garbage", "HTTP/1.1 2x0 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
      "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 200 OK\r\nA: 1\r\n folded\r\n\r\n",
      "HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/1.1 200 OK\nA: 1\n\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello",
    ])
  func invalidHead(_ bytes: String) async throws {
    try await withServer { connection, _ in
      _ = await connection.readHead()
      await connection.write(bytes)
    } _: { client, server in
      let transfer = try client.start(.to(server.url))
      await #expect(throws: UpstreamError.invalidResponse) { try await transfer.head() }
    }
  }

  @Test("The fields are handed over as they came, in order, repeated ones too")
  func fields() async throws {
    try await withServer { connection, _ in
      _ = await connection.readHead()
      await connection.write(
        "HTTP/1.1 429 Slow Down\r\nX-B: 1\r\nx-a:  2 \r\nX-B: 3\r\nContent-Length: 0\r\n\r\n")
    } _: { client, server in
      let transfer = try client.start(.to(server.url))
      let head = try await transfer.head()
      #expect(head.status == 429)
      #expect(head.fields.values("x-b") == ["1", "3"])
      #expect(head.fields.first("x-a") == "2")
      #expect(try await transfer.body() == [])
    }
  }

  @Test("A connection closed without an answer is broken, and the request counts as sent")
  func noAnswer() async throws {
    try await withServer { connection, _ in
      _ = await connection.readHead()
    } _: { client, server in
      let transfer = try client.start(.to(server.url, .post, body: .bytes([1])))
      await #expect(throws: UpstreamError.broken(.noAnswer)) { try await transfer.head() }
      #expect(transfer.wasSent)
      #expect(server.connectionCount == 1)
    }
  }

  @Test("A reset in the middle of a body breaks it after what had arrived")
  func reset() async throws {
    try await withServer { connection, _ in
      _ = await connection.readHead()
      await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello")
      _ = await connection.readHead()
      connection.close(reset: true)
    } _: { client, server in
      let transfer = try client.start(.to(server.url, .post, body: .stream(length: 9)))
      #expect(try await transfer.send(Array("abc".utf8)))
      var part: [UInt8] = []
      #expect(try await transfer.next(into: &part))
      #expect(part == Array("hello".utf8))
      #expect(try await transfer.send(Array("\r\n\r\n".utf8)))
      await #expect(throws: UpstreamError.broken(.connection)) {
        _ = try await transfer.next(into: &part)
      }
    }
  }
}
