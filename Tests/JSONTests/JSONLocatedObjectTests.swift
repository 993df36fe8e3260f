import JSON
import Testing

@Suite("A member is found in the text with the bytes that belong to it")
struct JSONLocatedObjectTests {
  private func located(_ text: String) throws -> JSONLocatedObject {
    try #require(try JSONLocatedObject(root: JSONParser().parse(Array(text.utf8))))
  }

  private func slice(_ text: String, _ range: Range<Int>) -> String {
    String(decoding: Array(text.utf8)[range], as: UTF8.self)
  }

  @Test(
    "ranges are exact, whatever stands around",
    arguments: [
      (#"{"k":1}"#, #""k":1"#, "1", "{}"),
      (#"{"k":1,"b":2}"#, #""k":1"#, "1", #"{"b":2}"#),
      (#"{"b":2,"k":1}"#, #""k":1"#, "1", #"{"b":2}"#),
      (#"{"a":0,"k":1,"b":2}"#, #""k":1"#, "1", #"{"a":0,"b":2}"#),
      (#" { "k" : -1.5e3 , "b" : 2 } "#, #""k" : -1.5e3"#, "-1.5e3", #" { "b" : 2 } "#),
      ("{\"b\":2 ,\n \"k\":\tnull\n}", "\"k\":\tnull", "null", "{\"b\":2 \n}"),
      (
        #"{"a":"k\":{[","k":"}],\\\"","b":[]}"#, #""k":"}],\\\"""#, #""}],\\\"""#,
        #"{"a":"k\":{[","b":[]}"#
      ),
      (
        #"{"a":{"k":0},"k":[{"k":[1,{}]},"]"],"z":{}}"#, #""k":[{"k":[1,{}]},"]"]"#,
        #"[{"k":[1,{}]},"]"]"#, #"{"a":{"k":0},"z":{}}"#
      ),
      (#"{"\u006b":true,"é":"é"}"#, #""\u006b":true"#, "true", #"{"é":"é"}"#),
    ])
  func ranges(_ text: String, _ member: String, _ value: String, _ without: String) throws {
    let found = try #require(try located(text).member("k"))
    #expect(slice(text, found.range) == member)
    #expect(slice(text, found.valueRange) == value)
    var edits = TextEdits()
    edits.replace(found.removal, with: "")
    #expect(String(decoding: edits.applied(to: Array(text.utf8)), as: UTF8.self) == without)
  }

  @Test("objects within objects are found too")
  func nested() throws {
    let text = #"{"a":[1],"o":{"x":{},"k":[2]},"k":3}"#
    let object = try #require(try located(text).member("o")?.object)
    #expect(slice(text, object.start..<object.start + 3) == #""x""#)
    #expect(slice(text, try #require(object.member("k")).range) == #""k":[2]"#)
    #expect(object.member("o") == nil)
    #expect(object.member("x")?.object?.isEmpty == true)
    #expect(try located(text).member("a")?.object == nil)
  }

  @Test("what isn't an object has no members")
  func notObjects() throws {
    let parser = JSONParser()
    #expect(try JSONLocatedObject(root: parser.parse(Array("[1]".utf8))) == nil)
    let root = try parser.parse(Array(#"{"a":{}}"#.utf8))
    #expect(try JSONLocatedObject(root: #require(root["a"])) == nil)
  }

  @Test("edits are made in the order of the text")
  func edits() {
    var edits = TextEdits()
    #expect(edits.isEmpty)
    edits.replace(4..<5, with: "E")
    edits.replace(0..<0, with: "<")
    edits.replace(0..<0, with: "|")
    edits.replace(1..<3, with: "")
    #expect(String(decoding: edits.applied(to: Array("abcdef".utf8)), as: UTF8.self) == "<|adEf")
  }
}
