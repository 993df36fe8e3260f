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
