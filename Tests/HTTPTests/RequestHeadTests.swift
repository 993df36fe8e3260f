import HTTP
import Testing

@Suite struct RequestHeadTests {
  @Test(
    "The end of the body is found as RFC 9112 says",
    arguments: [
      ("", BodyFraming.none),
      ("Content-Length: 0\r\n", .sized(0)),
      ("content-length: 42 \r\n", .sized(42)),
      ("Content-Length: 007\r\n", .sized(7)),
      ("Content-Length: 9223372036854775807\r\n", .sized(.max)),
      ("Transfer-Encoding: chunked\r\n", .chunked),
      ("transfer-encoding:\tChunked\t\r\n", .chunked),
    ])
  func framing(fields: String, framing: BodyFraming) {
    #expect(onlyHead(get(fields))?.framing == framing)
  }

  @Test(
    "A body of two meanings is refused",
    arguments: [
      ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", HTTPError.conflictingFraming),
      ("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", .conflictingFraming),
      ("Transfer-Encoding: identity\r\nContent-Length: 5\r\n", .conflictingFraming),
      ("Content-Length: 5\r\nContent-Length: 6\r\n", .repeatedContentLength),
      ("Content-Length: 5\r\nContent-Length: 5\r\n", .repeatedContentLength),
      ("Content-Length: 5, 5\r\n", .invalidContentLength),
      ("Content-Length:\r\n", .invalidContentLength),
      ("Content-Length: +5\r\n", .invalidContentLength),
      ("Content-Length: -5\r\n", .invalidContentLength),
      ("Content-Length: 5 6\r\n", .invalidContentLength),
      ("Content-Length: 0x5\r\n", .invalidContentLength),
      ("Content-Length: 5.0\r\n", .invalidContentLength),
      ("Content-Length: 1_000\r\n", .invalidContentLength),
      ("Content-Length: \u{0665}\r\n", .invalidContentLength),
      ("Content-Length: 9223372036854775808\r\n", .invalidContentLength),
      ("Content-Length: 92233720368547758070\r\n", .invalidContentLength),
      ("Transfer-Encoding: gzip, chunked\r\n", .unsupportedTransferEncoding),
      ("Transfer-Encoding: chunked, chunked\r\n", .unsupportedTransferEncoding),
      ("Transfer-Encoding: chunked;q=1\r\n", .unsupportedTransferEncoding),
      ("Transfer-Encoding: xchunked\r\n", .unsupportedTransferEncoding),
      ("Transfer-Encoding: identity\r\n", .unsupportedTransferEncoding),
      ("Transfer-Encoding:\r\n", .unsupportedTransferEncoding),
      (
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", .unsupportedTransferEncoding
      ),
      ("Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n", .unsupportedTransferEncoding),
      ("Transfer-Encoding : chunked\r\n", .invalidFieldName),
      ("Transfer-Encoding:\u{B}chunked\r\n", .controlCharacter),
    ])
  func ambiguousFraming(fields: String, error: HTTPError) {
    #expect(parse(get(fields)).error == error)
  }

  @Test("HTTP/1.0 has no transfer codings")
  func codingIn10() {
    let request = "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"
    #expect(parse(request).error == .transferEncodingBeforeHTTP11)
  }

  @Test(
    "The connection stays open as the version and Connection say",
    arguments: [
      ("HTTP/1.1", "", true),
      ("HTTP/1.1", "Connection: keep-alive\r\n", true),
      ("HTTP/1.1", "Connection: close\r\n", false),
      ("HTTP/1.1", "Connection: x, Close\r\n", false),
      ("HTTP/1.1", "Connection: x\r\nConnection: CLOSE\r\n", false),
      ("HTTP/1.1", "Connection: closed\r\n", true),
      ("HTTP/1.0", "", false),
      ("HTTP/1.0", "Connection: Keep-Alive\r\n", true),
      ("HTTP/1.0", "Connection: keep-alive, close\r\n", false),
    ])
  func keepAlive(version: String, fields: String, isKept: Bool) {
    #expect(onlyHead("GET / \(version)\r\nHost: a\r\n\(fields)\r\n")?.keepAlive == isKept)
  }

  @Test(
    "100 Continue is awaited only where a body can follow",
    arguments: [
      ("HTTP/1.1", "Expect: 100-continue\r\nContent-Length: 5\r\n", true),
      ("HTTP/1.1", "Expect: 100-Continue\r\nTransfer-Encoding: chunked\r\n", true),
      ("HTTP/1.1", "Expect: 100-continue\r\nContent-Length: 0\r\n", false),
      ("HTTP/1.1", "Expect: 100-continue\r\n", false),
      ("HTTP/1.1", "Content-Length: 5\r\n", false),
      ("HTTP/1.0", "Expect: 100-continue\r\nContent-Length: 5\r\n", false),
    ])
  func expectations(version: String, fields: String, isExpected: Bool) {
    #expect(onlyHead("PUT / \(version)\r\nHost: a\r\n\(fields)\r\n")?.expectsContinue == isExpected)
  }

  @Test("An expectation that can't be met is refused")
  func unknownExpectation() {
    #expect(parse(get("Expect: 200-ok\r\n")).error == .unsupportedExpectation)
    #expect(parse(get("Expect: 100-continue, x\r\n")).error == .unsupportedExpectation)
  }

  @Test("What a body is may be said once: another reader may take the last word")
  func repeatedContentType() {
    let types = "Content-Type: application/json\r\ncontent-type: multipart/form-data\r\n"
    #expect(parse(get(types)).error == .repeatedContentType)
  }

  @Test(
    "Exactly one Host, and a real one",
    arguments: [
      ("HTTP/1.1", "", HTTPError.missingHost),
      ("HTTP/1.1", "Host: a\r\nHost: a\r\n", .repeatedHost),
      ("HTTP/1.0", "Host: a\r\nHost: b\r\n", .repeatedHost),
      ("HTTP/1.1", "Host:\r\n", .invalidHost),
      ("HTTP/1.0", "Host: a b\r\n", .invalidHost),
      ("HTTP/1.1", "Host: a, b\r\n", .invalidHost),
      ("HTTP/1.1", "Host: a/b\r\n", .invalidHost),
      ("HTTP/1.1", "Host: u@a\r\n", .invalidHost),
      ("HTTP/1.1", "Host: a:b\r\n", .invalidHost),
      ("HTTP/1.1", "Host: a:\r\n", .invalidHost),
      ("HTTP/1.1", "Host: :80\r\n", .invalidHost),
      ("HTTP/1.1", "Host: a:65536\r\n", .invalidHost),
      ("HTTP/1.1", "Host: a:000080\r\n", .invalidHost),
      ("HTTP/1.1", "Host: a:80:80\r\n", .invalidHost),
      ("HTTP/1.1", "Host: []\r\n", .invalidHost),
      ("HTTP/1.1", "Host: [::1\r\n", .invalidHost),
      ("HTTP/1.1", "Host: [::g]\r\n", .invalidHost),
      ("HTTP/1.1", "Host: [::1]x\r\n", .invalidHost),
      ("HTTP/1.1", "Host: a%00\r\n", .invalidHost),
      ("HTTP/1.1", "Host: é\r\n", .invalidHost),
    ])
  func badHosts(version: String, fields: String, error: HTTPError) {
    #expect(parse("GET / \(version)\r\n\(fields)\r\n").error == error)
  }

  @Test(
    "Names, addresses and ports are hosts",
    arguments: [
      "localhost", "a.b-c.example", "a_b", "127.0.0.1:8080", "[::1]", "[2001:db8::1]:65535",
      "[::ffff:10.0.0.1]:1",
    ])
  func goodHosts(host: String) {
    #expect(onlyHead("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")?.host == host)
  }

  @Test("HTTP/1.0 may do without a Host")
  func hostlessIn10() throws {
    let head = try #require(onlyHead("GET / HTTP/1.0\r\n\r\n"))
    #expect(head.host == nil)
    #expect(head.version == .http10)
  }

  @Test("A head made by hand is checked like one that was read")
  func madeByHand() throws {
    let target = try RequestTarget("/v1/models", method: .get)
    #expect(throws: HTTPError.missingHost) {
      try RequestHead(method: .get, target: target, fields: HeaderFields())
    }
    var fields = HeaderFields()
    fields.append(.host, constant: "a")
    let made = try RequestHead(method: .get, target: target, fields: fields)
    #expect(made == onlyHead("GET /v1/models HTTP/1.1\r\nHOST: a\r\n\r\n"))
  }
}
