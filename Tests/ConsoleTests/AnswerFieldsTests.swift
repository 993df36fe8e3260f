import JSON
import Testing

@testable import Console

@Suite("A table of fields makes an object's schema and its JSON")
struct AnswerFieldsTests {
  private struct Row {
    var name = "a"
    var count: Int64?
    var parts: [Int64] = []
  }

  private static let fields: AnswerFields<Row> = [
    .field("name", \.name), .field("count", \.count),
    .list("parts", of: [.field("size") { $0 }], \.parts),
    .optionalObject("first", [.field("size") { $0 }], \.parts.first),
    .field("many", as: .boolean) { _ in true }.shown { $0.parts.count > 1 },
  ]

  private func text(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    write(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test("A row is written field by field, and a field that it doesn't show is absent")
  func json() {
    #expect(
      text { Self.fields.write(Row(), to: &$0) }
        == #"{"name":"a","count":null,"parts":[],"first":null}"#)
    #expect(
      text { Self.fields.write(Row(name: "b", count: 2, parts: [3, 4]), to: &$0) }
        == #"{"name":"b","count":2,"parts":[{"size":3},{"size":4}],"first":{"size":3},"many":true}"#
    )
  }

  @Test("A value that may be absent may be null in the schema, and a hidden field isn't required")
  func schema() {
    let schema = text { Self.fields.schema.write(to: &$0) }
    #expect(schema.contains(#""count":{"anyOf":[{"type":"integer","minimum":0},{"type":"null"}]}"#))
    #expect(schema.contains(#""required":["name","count","parts","first"]"#))
  }

  @Test("The document allows a refusal that no single budget made")
  func refusal() {
    let schema = text { LogCalls.denialFields.schema.writeDefinition(to: &$0) }
    #expect(schema.contains(#""budget_id":{"anyOf":[{"type":"string"},{"type":"null"}]}"#))
  }
}
