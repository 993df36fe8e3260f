import Testing

@testable import Sandbox

@Suite struct JSONTextTests {
  private func string(_ text: JSONText) -> String { String(decoding: text.bytes, as: UTF8.self) }

  @Test("A string in a hole is quoted and escaped, and can't end its place")
  func escapes() {
    let text = "a\"},\\\n\u{1}é😀"
    #expect(string(#"{"a":\#(text)}"#) == #"{"a":"a\"},\\\n\u0001é😀"}"#)
  }

  @Test("Nil is null")
  func nulls() {
    let (text, number): (String?, Int64?) = (nil, nil)
    #expect(string("[\(text),\(number),\(JSONText.null)]") == "[null,null,null]")
  }

  @Test("Line breaks of the literal and its indentation are left out, those of values aren't")
  func lines() {
    let text: JSONText = """
      {"a":
          \(1),  "b":\("x\n  y")
        ,"c": \(true)}
      """
    #expect(string(text) == #"{"a":1,  "b":"x\n  y","c": true}"#)
  }

  @Test(
    "A number with decimals has them all",
    arguments: [(0, "0.000"), (7, "0.007"), (1000, "1.000"), (3_200_450, "3200.450")])
  func decimals(number: Int64, expected: String) {
    #expect(string("\(number, decimals: 3)") == expected)
  }

  @Test("Elements are an array, and a member that is nil leaves no comma")
  func parts() {
    let none: [JSONText] = []
    let elements: [JSONText] = ["1", "{}"]
    #expect(string("\(none)\(elements)") == "[][1,{}]")
    #expect(string(#"{"a":1\#(member: "b", nil)\#(member: "c", "\("d")")}"#) == #"{"a":1,"c":"d"}"#)
  }

  @Test("An event has its name and the text")
  func events() {
    let text: JSONText = "{}"
    #expect(String(decoding: text.event(named: "a"), as: UTF8.self) == "event: a\ndata: {}\n\n")
    #expect(text.event == Array("data: {}\n\n".utf8))
  }
}
