import JSON
import Testing

@Suite("JSON is read exactly, or refused")
struct JSONParserTests {
  private func parse(_ text: String, _ parser: JSONParser = JSONParser()) throws -> JSONValue {
    try parser.parse(Array(text.utf8))
  }

  @Test(
    "kinds are told apart, numbers by how they are written",
    arguments: [
      ("{}", JSONValue.Kind.object), ("[]", .array), ("\"x\"", .string), ("true", .boolean),
      (" false ", .boolean), ("null", .null), ("0", .integer), ("-1", .integer),
      ("9223372036854775807", .integer), ("-9223372036854775808", .integer),
      ("9223372036854775808", .largeInteger), ("18446744073709551615", .largeInteger),
      ("1.0", .real), ("1e3", .real), ("-0.0", .real),
    ])
  func kinds(_ text: String, _ kind: JSONValue.Kind) throws {
    let value = try parse(text)
    #expect(value.kind == kind)
    #expect((value.integer != nil) == (kind == .integer))
    #expect((value.string != nil) == (kind == .string))
    #expect((value.boolean != nil) == (kind == .boolean))
    #expect((value.real != nil) == [.integer, .largeInteger, .real].contains(kind))
  }

  @Test("values are exact")
  func values() throws {
    let parser = JSONParser()
    let root = try parse(
      #"{"a":[1,-2,9223372036854775807],"b":"é\u00e9\ud83e\udd99\n\"","c":{"d":true},"e":2.5}"#,
      parser)
    #expect(root["a"].map { $0.elements.map(\.integer) } == [1, -2, .max])
    #expect(root["b"]?.string == "éé🦙\n\"")
    #expect(root["b"]?.utf8Count == 10)
    #expect(root["b"]?.withUTF8 { $0.count } == 10)
    #expect(root["c"]?["d"]?.boolean == true)
    #expect(root["e"]?.real == 2.5)
    #expect(root["z"] == nil)
    #expect(root["a"]?["x"] == nil)
    #expect(root.members.map { $0.key.string } == ["a", "b", "c", "e"])
    #expect(root.elements.map(\.kind).isEmpty)
    #expect(root["b"]?.members.map(\.key.kind).isEmpty == true)
  }

  @Test("a string is compared by its bytes, once unescaped")
  func comparing() throws {
    let root = try parse(#"["us\u0061ge","usag","usages","e\u0301",5]"#)
    let elements = Array(root.elements)
    #expect(elements.map { $0.isString("usage") } == [true, false, false, false, false])
    #expect(!elements[3].isString("\u{E9}"))
    #expect(elements[0].isString(String("usage")))
  }

  static let refused: [(String, JSONError)] = [
    ("", .empty), (" \n", .empty), ("{", .malformed), ("{}x", .malformed), ("{} {}", .malformed),
    ("{'a':1}", .malformed), ("[1,]", .malformed), ("{\"a\":1,}", .malformed), ("01", .malformed),
    ("+1", .malformed), ("NaN", .malformed), ("tru", .malformed), ("\"a\nb\"", .malformed),
    ("\"\\x\"", .malformed), ("1e999", .malformed), ("/**/1", .malformed),
    ("\u{FEFF}1", .byteOrderMark), (#""\udc00""#, .malformed),
    (#""\ud800\ud800""#, .malformed), (#""\ud83e\u0041""#, .malformed),
    (#"{"\uDFFF":1}"#, .malformed),
  ]

  @Test("what isn't JSON is refused", arguments: refused)
  func refusals(_ text: String, _ error: JSONError) {
    #expect(throws: error) { try parse(text) }
  }

  @Test("half a pair is refused, a whole one and an escaped backslash aren't")
  func surrogates() throws {
    #expect(throws: JSONError.self) { try parse(#""\ud83e""#) }
    #expect(throws: JSONError.self) { try parse(#""\ud83ex""#) }
    #expect(try parse(#""\ud83e\udd99""#).string == "🦙")
    #expect(try parse(#""\\udd99""#).string == #"\udd99"#)
    #expect(try parse(#""\\\\ud800\/""#).string == #"\\ud800/"#)
  }

  @Test("bytes that aren't UTF-8 are refused")
  func invalidUTF8() {
    for bytes: [UInt8] in [[0x80], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]] {
      #expect(throws: JSONError.invalidUTF8) {
        try JSONParser().parse([UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")])
      }
    }
  }

  @Test("depth and length have limits")
  func limits() throws {
    let nested = { (depth: Int) in
      String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
    }
    let parser = JSONParser(largestText: 100, largestDepth: 8)
    #expect(try parse(nested(8), parser).kind == .array)
    #expect(throws: JSONError.tooDeep(limit: 8)) { try parse(nested(9), parser) }
    let objects = { (depth: Int) in
      String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
    }
    #expect(try parse(objects(8), parser).kind == .object)
    #expect(throws: JSONError.tooDeep(limit: 8)) { try parse(objects(9), parser) }
    #expect(try parse("\"" + String(repeating: "x", count: 98) + "\"", parser).utf8Count == 98)
    #expect(throws: JSONError.tooLong(limit: 100)) {
      try parse("\"" + String(repeating: "x", count: 99) + "\"", parser)
    }
  }

  @Test("a parser serves texts of all sizes in turn, also after an error")
  func reuse() throws {
    let parser = JSONParser()
    for count in [1, 5_000, 3, 3_000_000, 70, 900_000] {
      let text = "[\"" + String(repeating: "y", count: count) + "\",\(count)]"
      #expect(try parse(text, parser).elements.map(\.integer) == [nil, Int64(count)])
      #expect(throws: JSONError.malformed) { try parse("[", parser) }
    }
  }

  @Test(
    "a repeated key is found, however it is spelt and however many there are",
    arguments: [
      (#"{"a":1,"b":2}"#, nil), (#"{"a":1,"b":{"a":1,"a":2}}"#, nil), ("[]", nil),
      (#"{"a":1,"b":2,"a":3}"#, "a"), (#"{"ab":1,"\u0061b":2}"#, "ab"), (#"{"":1,"":2}"#, ""),
      (#"{"\u00e9":1,"e\u0301":2}"#, nil),
    ] as [(String, String?)])
  func repeatedKeys(_ text: String, _ expected: String?) throws {
    #expect(try parse(text).repeatedKey == expected)
    let many = (0..<100).map { "\"k\($0)\":0" }.joined(separator: ",")
    #expect(try parse("{\(many)}").repeatedKey == nil)
    #expect(try parse("{\(many),\"k\\u0037\":1}").repeatedKey == "k7")
  }

  @Test("the size of a value is that of all strings, keys and numbers in it")
  func sizes() throws {
    let root = try parse(#"{"ab":["c\u00e9",1,2.5,18446744073709551615,true,null,{}],"x":"yz"}"#)
    #expect(root.size.stringBytes == 8)
    #expect(root.size.numbers == 3)
    #expect(root.size.nodes == 12)
    #expect(root["x"]?.size.stringBytes == 2)
    #expect(root["ab"]?.size.nodes == 8)
    #expect(root.isEmptyContainer == false)
    #expect(try parse("[]").isEmptyContainer)
  }
}
