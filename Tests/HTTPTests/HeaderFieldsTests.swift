import Testing

@testable import HTTP

@Suite struct HeaderFieldsTests {
  private let sample = make(["Accept: a", "X-One: 1", "accept: b, c", "Connection: Close ,, x-one"])

  private static func make(_ lines: [String]) -> HeaderFields {
    var fields = HeaderFields()
    for line in lines { try! fields.append(line: line.utf8.span) }
    return fields
  }

  private func lines(_ fields: HeaderFields) -> [String] {
    var lines: [String] = []
    fields.forEach { name, value in lines.append("\(String(name)): \(String(value))") }
    return lines
  }

  @Test("Names are compared without regard to case, and repeated fields kept in order")
  func reading() {
    #expect(sample.count == 4)
    #expect(sample.first("ACCEPT") == "a")
    #expect(sample.values(.accept) == ["a", "b, c"])
    #expect(sample.count(of: .accept) == 2)
    #expect(sample.contains("x-one"))
    #expect(!sample.contains("x-on"))
    #expect(sample.first("x-two") == nil)
    #expect(sample.withFirst("x-one") { $0.count } == 1)
    #expect(sample.withFirst("x-two") { $0.count } == nil)
  }

  @Test("Own fields have room beside what came from outside, however much that is")
  func own() throws {
    var fields = HeaderFields()
    let most = String(repeating: "a", count: HeaderFields.maximumBytes - 1)
    try fields.append("b", most)
    #expect(throws: HTTPError.headerTooLarge) { try fields.append("c", "d") }
    fields.appendOwn("c", "d")
    #expect(fields.first("c") == "d")
  }

  @Test("Fields are visited as they were sent")
  func iteration() {
    #expect(
      lines(sample) == ["Accept: a", "X-One: 1", "accept: b, c", "Connection: Close ,, x-one"])
  }

  @Test(
    "A list's members are whole, of any case, and over all fields of the name",
    arguments: [
      (FieldName.connection, "close", true), (.connection, "X-ONE", true), (.accept, "a", true),
      (.accept, "c", true), (.connection, "clos", false), (.connection, "x", false),
      (.connection, "", false), (.accept, "b, c", false), (.host, "a", false),
    ])
  func lists(name: FieldName, token: String, isThere: Bool) {
    #expect(sample.contains(name, token: token) == isThere)
  }

  @Test("Fields are removed, set and copied")
  func writing() throws {
    var fields = sample
    fields.remove(.accept)
    fields.append(.contentLength, 12)
    try fields.set("x-one", "2")
    fields.set(.contentLength, 13)
    fields.append(.server, constant: "catraca")
    #expect(
      lines(fields) == [
        "Connection: Close ,, x-one", "x-one: 2", "content-length: 13", "server: catraca",
      ])
    fields.removeAll { name, value in value.count == 1 || FieldName.server.matches(name) }
    var copy = HeaderFields()
    copy.append(.date, constant: "now")
    copy.append(contentsOf: fields)
    #expect(
      lines(copy) == ["date: now", "Connection: Close ,, x-one", "content-length: 13"])
    #expect(lines(sample).count == 4)
  }

  @Test(
    "A value can't carry a line end or another control character",
    arguments: [
      "a\r\nX: y", "a\n", "\r", "\u{0}", "12345678\u{0}", "\u{7F}", "\u{1B}",
    ])
  func badValues(value: String) {
    var fields = sample
    #expect(throws: HTTPError.invalidFieldValue) { try fields.append("x-one", value) }
    #expect(throws: HTTPError.invalidFieldValue) { try fields.set("x-one", value) }
    #expect(fields == sample)
  }

  @Test("A name is a token", arguments: ["", "a b", "a:", "a\r\nb", "é", "a\u{0}", "(a)"])
  func badNames(name: String) {
    #expect(FieldName(name.utf8.span) == nil)
  }

  @Test("Names of any case are one name")
  func names() {
    #expect(FieldName("X-A") == FieldName("x-a"))
    #expect(FieldName("X-A").lowercased == "x-a")
    #expect(FieldName("x-a") != FieldName("x_a"))
  }

  @Test(
    "A raw line becomes a field",
    arguments: [
      ("A: b", "A: b"), ("A: b\r\n", "A: b"), ("a:", "a: "), ("A:\t b \r\n", "A: b"),
    ])
  func rawLines(line: String, field: String) {
    #expect(lines(Self.make([line])) == [field])
  }

  @Test(
    "A raw line that isn't a field is refused",
    arguments: [
      ("", HTTPError.foldedField), ("\r\n", .foldedField), (" a: b", .foldedField),
      ("a", .invalidFieldName), ("a : b", .invalidFieldName), (":", .invalidFieldName),
      ("a: b\n", .invalidFieldValue), ("a: b\r", .invalidFieldValue),
      ("a: b\r\nc: d\r\n", .invalidFieldValue),
    ])
  func badRawLines(line: String, error: HTTPError) {
    var fields = sample
    #expect(throws: error) { try fields.append(line: line.utf8.span) }
    #expect(fields == sample)
  }

  @Test("Fields can fill their room exactly")
  func room() throws {
    var fields = HeaderFields()
    try fields.append("a", String(repeating: "x", count: HeaderFields.maximumBytes - 1))
    #expect(throws: HTTPError.headerTooLarge) { try fields.append("b", "") }
    #expect(throws: HTTPError.headerTooLarge) { try fields.append(line: "b:".utf8.span) }
    #expect(fields.count == 1)
  }

  @Test("A description has no values")
  func description() throws {
    var fields = HeaderFields()
    try fields.append(.authorization, "Bearer secret")
    #expect("\(fields)" == "authorization (13 bytes)")
  }

  @Test(
    "Fields of the connection aren't passed on, nor those that it names",
    arguments: [
      (["Connection: close", "A: 1"], ["A: 1"]),
      (["Connection: x-a, Keep-Alive", "X-A: 1", "x-a: 2", "X-B: 3"], ["X-B: 3"]),
      (["Connection: a", "connection: B", "A: 1", "B: 2", "C: 3"], ["C: 3"]),
      (["Connection: close", "Close: 1"], ["Close: 1"]),
      (["Connection: (bad), ,", "A: 1"], ["A: 1"]),
      (["A: 1", "Connection: a"], []),
      (
        [
          "Keep-Alive: timeout=5", "TE: trailers", "Trailer: X", "Transfer-Encoding: chunked",
          "Upgrade: h2c", "Proxy-Connection: x", "Proxy-Authorization: x", "Proxy-Authenticate: x",
          "Content-Length: 1",
        ], ["Content-Length: 1"]
      ),
    ] as [([String], [String])])
  func hopByHop(sent: [String], passed: [String]) {
    var fields = Self.make(sent)
    fields.removeHopByHop()
    #expect(lines(fields) == passed)
  }

  @Test(
    "A bearer's token is what follows the scheme, which may be written in any case",
    arguments: [
      (["Authorization: Bearer sk-1"], "sk-1"), (["authorization: bEARER sk-1 "], "sk-1"),
      (["Authorization: Bearer  sk 1"], " sk 1"), (["Authorization: Bearer"], nil),
      (["Authorization: Bearer "], nil), (["Authorization: Basic sk-1"], nil),
      (["Authorization: Basic a", "Authorization: Bearer b"], nil), (["Bearer: sk-1"], nil),
    ] as [([String], String?)])
  func bearer(sent: [String], token: String?) {
    #expect(Self.make(sent).bearerToken == token)
  }

  @Test("The first value of a name is compared as a whole or by its beginning, in any case")
  func values() {
    let fields = Self.make(["Content-Type: Text/Event-Stream; a=b", "content-type: x", "TE: a"])
    #expect(fields.first(.contentType, beginsWith: "text/event-stream"))
    #expect(!fields.first(.contentType, is: "text/event-stream"))
    #expect(!fields.first(.contentType, is: "x"))
    #expect(fields.first(.te, is: "a") && fields.first(.te, beginsWith: ""))
    #expect(!fields.first(.te, beginsWith: "ab") && !fields.first(.te, is: "b"))
    #expect(!fields.first(.accept, beginsWith: "") && !fields.first(.accept, is: ""))
  }

  @Test("A set has its names in any case, and no other of the same length")
  func sets() {
    let set = FieldNameSet("x-one", "x-two", "te")
    func has(_ name: String) -> Bool { set.contains(name.utf8.span) }
    for name in ["X-One", "x-two", "TE"] { #expect(has(name)) }
    let long = String(repeating: "x", count: 70)
    for name in ["x-ten", "tea", "t", "", long] { #expect(!has(name)) }
  }

  @Test("A set has what begins or ends as it says, in any case")
  func patterns() {
    let set = FieldNameSet(
      ["host"], beginnings: ["cf-", "x-amz-"], endings: ["-api-key", "-ip"])
    func has(_ name: String) -> Bool { set.contains(name.utf8.span) }
    for name in [
      "Host", "CF-Ray", "cf-x", "X-Amz-Date", "My-API-Key", "-api-key", "x-IP", "x-amz--",
    ] {
      #expect(has(name), "\(name)")
    }
    for name in [
      "cf-", "cf", "c", "x-amz-", "xcf-ray", "x-am", "api-key", "ip", "x-api-keys", "x-ips", "",
    ] {
      #expect(!has(name), "\(name)")
    }
  }
}
