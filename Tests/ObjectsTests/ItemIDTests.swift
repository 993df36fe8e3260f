import JSON
import Testing

@testable import Objects

@Suite("The ids that a body gives to its items")
struct ItemIDTests {
  private func ids(_ body: String) throws -> [String] {
    try ItemIDs.inBody(JSONParser().parse(Array(body.utf8)))
  }

  private func without(_ ids: Set<String>, _ body: String) throws -> String {
    let bytes = Array(body.utf8)
    var edits = TextEdits()
    let root = try #require(JSONLocatedObject(root: JSONParser().parse(bytes)))
    ItemIDs.leaveOut(ids, of: root, &edits)
    return String(decoding: edits.applied(to: bytes), as: UTF8.self)
  }

  @Test(
    "Each id is found once, and left out with its comma",
    arguments: [
      (
        #"{"input":[{"id":"a","x":1},{"x":1, "id":"b"}]}"#, ["a", "b"],
        #"{"input":[{"x":1},{"x":1}]}"#
      ),
      (#"{"items":[{"id":"a"},{"id":"a","y":2}]}"#, ["a"], #"{"items":[{},{"y":2}]}"#),
      (#"{"input":[{"x":1,"ID":"a","y":2}]}"#, ["a"], #"{"input":[{"x":1,"y":2}]}"#),
      (#"{"input":[{"x":{"id":"a"}}],"id":"b"}"#, [], #"{"input":[{"x":{"id":"a"}}],"id":"b"}"#),
      (
        #"{"input":"id","items":[["id"],1,{"id":7}]}"#, [],
        #"{"input":"id","items":[["id"],1,{"id":7}]}"#
      ),
    ])
  func oneEach(body: String, found: [String], left: String) throws {
    #expect(try ids(body) == found)
    #expect(try without(Set(found), body) == left)
    #expect(try without(["other"], body) == body)
  }

  @Test("An item that has several ids gets null for each that is left out")
  func several() throws {
    let body = #"{"input":[{"id":"a","id":"b","Id":"a","x":1}]}"#
    #expect(try ids(body) == ["a", "b"])
    #expect(try without(["a"], body) == #"{"input":[{"id":null,"id":"b","Id":null,"x":1}]}"#)
  }

  @Test(
    "A call of the provider's own tool may lack what came of it",
    arguments: [
      (#"{"type":"file_search_call","id":"a","queries":["q"],"results":null}"#, true),
      (#"{"type":"file_search_call","id":"a","queries":["q"],"results":[{"text":"x"}]}"#, false),
      (#"{"type":"web_search_call","id":"a","action":{"query":"q"}}"#, true),
      (#"{"type":"mcp_list_tools","id":"a","server_label":"s","tools":[]}"#, true),
      (#"{"type":"mcp_list_tools","id":"a","server_label":"s","tools":[{"name":"t"}]}"#, false),
      (#"{"type":"mcp_call","id":"a","name":"n","arguments":"{}"}"#, true),
      (#"{"type":"mcp_call","id":"a","name":"n","arguments":"{}","output":"x"}"#, false),
      (#"{"type":"code_interpreter_call","id":"a","code":"1","outputs":null}"#, true),
      (#"{"type":"code_interpreter_call","id":"a","code":"1","outputs":[{"a":1}]}"#, false),
      (#"{"type":"message","type":"Web_Search_Call","id":"a","content":"x"}"#, true),
      (#"{"type":"message","id":"a","role":"user","content":"x"}"#, false),
      (#"{"type":"function_call","id":"a","name":"n","arguments":"{}"}"#, false),
      (#"{"type":"reasoning","id":"a","encrypted_content":"x"}"#, false),
    ])
  func lacksResult(item: String, lacks: Bool) throws {
    let root = try JSONParser().parse(Array("{\"input\":[\(item)]}".utf8))
    #expect(try ItemIDs.inBody(root, .callsWithoutResults) == (lacks ? ["a"] : []))
  }

  @Test("As many ids as the limit are found, and one more is refused")
  func limit() throws {
    let limit = TooManyReferences.limit
    let items = (0...limit).map { #"{"id":"\#($0)"}"# }
    #expect(try ids("{\"input\":[\(items.dropLast().joined(separator: ","))]}").count == limit)
    #expect(throws: TooManyReferences()) {
      try ids("{\"input\":[\(items.joined(separator: ","))]}")
    }
  }
}
