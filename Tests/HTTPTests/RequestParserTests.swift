import HTTP
import Testing

@Suite struct RequestParserTests {
  @Test("An SDK's request is read whole")
  func chatCompletion() throws {
    let head = try #require(onlyHead(chatCompletionRequest))
    #expect(head.method == .post)
    #expect(head.target.text == "/v1/chat/completions")
    #expect(head.path == "/v1/chat/completions")
    #expect(head.query == nil)
    #expect(head.version == .http11)
    #expect(head.fields.count == 14)
    #expect(head.fields.first("x-stainless-os") == "Linux")
    #expect(head.host == "catraca.internal:8080")
    #expect(head.framing == .sized(142))
    #expect(head.keepAlive)
    #expect(!head.expectsContinue)
  }

  @Test("Every cut of the input into two reads gives the same result", arguments: cutInputs)
  func everyCut(input: String) {
    let bytes = Array(input.utf8)
    let whole = parse([bytes])
    #expect(whole != Outcome())
    for cut in 0...bytes.count {
      let parts = parse([Array(bytes[..<cut]), Array(bytes[cut...])])
      #expect(parts == whole, "cut at \(cut)")
    }
  }

  @Test("Bytes that come one at a time give the same result", arguments: cutInputs)
  func byteByByte(input: String) {
    #expect(parse(input.utf8.map { [$0] }) == parse(input))
  }

  static let cutInputs = [
    chatCompletionRequest,
    "\r\n" + get("Expect: 100-continue\r\nContent-Length: 5\r\n"),
    get("") + get("A: b\r\n") + "\r\n" + get(""),
    get("Tab:\ta\tb\t\r\nUnicode: \u{E9}t\u{E9}\r\n"),
    get("") + get("A : b\r\n"),
    get("A: b\nC: d\r\n"),
    get("A: b\rC: d\r\n"),
    get("A: \u{7F}\r\n"),
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    get("") + "\r\n\r\n" + get(""),
  ]

  @Test("Pipelined requests come out one by one, each with its own bytes")
  func pipelined() {
    let first = get("N: 1\r\n")
    let second = "DELETE /v1/files/x HTTP/1.1\r\nHost: b\r\n\r\n"
    let outcome = parse(first + second + "GET /unfinis")
    #expect(outcome.heads.map(\.method) == [.get, .delete])
    #expect(outcome.heads.map(\.host) == ["a", "b"])
    #expect(outcome.consumed == [first.utf8.count, second.utf8.count])
    #expect(outcome.error == nil)
  }

  @Test("What follows the head is left to the body's reader")
  func bodyIsNotConsumed() {
    var parser = RequestParser()
    let request = get("Content-Length: 2\r\n")
    let progress = try? parser.parse((request + "\u{0}\n").utf8.span)
    guard case .head(let head, let consumed) = progress else {
      Issue.record("no head")
      return
    }
    #expect(consumed == request.utf8.count)
    #expect(head.framing == .sized(2))
  }

  @Test("One empty line before a request is skipped, and counted as consumed")
  func leadingEmptyLine() {
    let request = "\r\n" + get("")
    #expect(parse(request).consumed == [request.utf8.count])
    #expect(parse("\r\n" + request).error == .malformedRequestLine)
  }

  @Test("After an error the parser only repeats it")
  func errorStays() {
    var parser = RequestParser()
    #expect(throws: HTTPError.foldedField) { try parser.parse(get(" x\r\n").utf8.span) }
    #expect(throws: HTTPError.foldedField) { try parser.parse(get("").utf8.span) }
  }

  @Test("A bad line is refused before the head is complete")
  func earlyRefusal() {
    #expect(parse("GET / HTTP/1.1\r\nA b: c\r\n").error == .invalidFieldName)
    #expect(parse("\u{16}\u{3}\u{1}").error == .controlCharacter, "a TLS hello")
  }

  @Test(
    "The methods of HTTP are known, others kept",
    arguments: [
      ("GET", Method.get), ("HEAD", .head), ("POST", .post), ("PUT", .put), ("PATCH", .patch),
      ("DELETE", .delete), ("OPTIONS", .options), ("TRACE", .trace), ("get", .other("get")),
      ("M-SEARCH", .other("M-SEARCH")),
    ])
  func methods(name: String, method: Method) {
    #expect(onlyHead("\(name) / HTTP/1.1\r\nHost: a\r\n\r\n")?.method == method)
    #expect(method.name == name)
  }

  @Test(
    "Lines that aren't a request are refused",
    arguments: [
      ("GET /\r\n", HTTPError.malformedRequestLine),
      ("GET\r\n", .malformedRequestLine),
      ("GET  / HTTP/1.1\r\n", .malformedRequestLine),
      ("GET /  HTTP/1.1\r\n", .malformedRequestLine),
      ("GET / HTTP/1.1 \r\n", .malformedRequestLine),
      (" GET / HTTP/1.1\r\n", .malformedRequestLine),
      ("GET\t/\tHTTP/1.1\r\n", .malformedRequestLine),
      ("GET / /x HTTP/1.1\r\n", .malformedRequestLine),
      ("G(T / HTTP/1.1\r\n", .malformedRequestLine),
      ("GÉT / HTTP/1.1\r\n", .malformedRequestLine),
      ("GET / http/1.1\r\n", .malformedRequestLine),
      ("GET / HTTP/1.10\r\n", .malformedRequestLine),
      ("GET / HTTP/1\r\n", .malformedRequestLine),
      ("GET / HTTP/a.b\r\n", .malformedRequestLine),
      ("GET / HTTP/1.2\r\n", .unsupportedVersion),
      ("GET / HTTP/0.9\r\n", .unsupportedVersion),
      ("PRI * HTTP/2.0\r\n", .unsupportedVersion),
      ("CONNECT a:443 HTTP/1.1\r\n", .unsupportedMethod),
      ("GET / HTTP/1.1\n", .invalidLineEnding),
      ("GET / HTTP/1.1\r \n", .invalidLineEnding),
      ("\nGET / HTTP/1.1\r\n", .invalidLineEnding),
      ("GET /\u{0} HTTP/1.1\r\n", .controlCharacter),
    ])
  func badRequestLines(line: String, error: HTTPError) {
    #expect(parse(line + "Host: a\r\n\r\n").error == error)
  }

  @Test(
    "Lines that aren't a field are refused",
    arguments: [
      ("A : b\r\n", HTTPError.invalidFieldName),
      ("A\t: b\r\n", .invalidFieldName),
      (": b\r\n", .invalidFieldName),
      ("A\r\n", .invalidFieldName),
      ("A B: c\r\n", .invalidFieldName),
      ("A(: c\r\n", .invalidFieldName),
      ("É: c\r\n", .invalidFieldName),
      ("A: b\r\n c\r\n", .foldedField),
      ("A: b\r\n\tc\r\n", .foldedField),
      (" A: b\r\n", .foldedField),
      ("A: b\nC: d\r\n", .invalidLineEnding),
      ("A: b\rC: d\r\n", .invalidLineEnding),
      ("A: b\r\r\n", .invalidLineEnding),
      ("A: \u{0}\r\n", .controlCharacter),
      ("A: \u{1B}[31m\r\n", .controlCharacter),
      ("A: b\u{7F}\r\n", .controlCharacter),
      ("A\u{0}: b\r\n", .controlCharacter),
    ])
  func badFields(lines: String, error: HTTPError) {
    #expect(parse(get(lines)).error == error)
  }

  @Test(
    "A field may be empty, and loses the blanks around it",
    arguments: [
      ("A:\r\n", ""), ("A:   \r\n", ""), ("A:b\r\n", "b"), ("A: \t b\tc \t\r\n", "b\tc"),
      ("A: b:c\r\n", "b:c"), ("a: \u{E9}\r\n", "\u{E9}"),
    ])
  func fieldValues(line: String, value: String) {
    #expect(onlyHead(get(line))?.fields.first("a") == value)
  }

  @Test("No byte is a control character to one reader and text to the other")
  func everyByteInAValue() {
    for byte in UInt8.min...UInt8.max {
      for padding in 0..<9 {
        let pad = [UInt8](repeating: UInt8(ascii: "x"), count: padding)
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nA: y".utf8) + pad + [byte] + pad
        let outcome = parse([bytes + Array("z\r\n\r\n".utf8)])
        let isText = byte == 9 || (byte >= 32 && byte != 127)
        #expect((outcome.heads.count == 1) == isText, "byte \(byte)")
      }
    }
  }
}
