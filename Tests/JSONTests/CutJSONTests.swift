import JSON
import Testing

@Suite("A text that broke off shows the values that came whole")
struct CutJSONTests {
  @Test(
    "The last value is left out",
    arguments: [
      (#"{"id":"a","items":[{"id":"b"},{"id":"c"#, #"{"id":"a","items":[{"id":"b"},{}]}"#),
      (#"{"id":"a""#, "{}"),
      (#"{"id":"a","n":12"#, #"{"id":"a"}"#),
      (#"{"id":"a","n"#, #"{"id":"a"}"#),
      (#"{"id":"a","t":"x,\"},]\\"#, #"{"id":"a"}"#),
      (#"{"a":[1,2"#, #"{"a":[1]}"#),
      (#"{"a":[1,2]"#, #"{"a":[1,2]}"#),
      (#" [{"a":1}] "#, #" [{"a":1}]"#),
      ("{", "{}"),
    ])
  func repaired(_ text: String, _ expected: String) throws {
    let repaired = try #require(CutJSON.repaired(text.utf8))
    #expect(String(decoding: repaired, as: UTF8.self) == expected)
    _ = try JSONParser().parse(repaired)
  }

  @Test("Other texts have none", arguments: ["", "12", #""a"#, "null"])
  func none(_ text: String) {
    #expect(CutJSON.repaired(text.utf8) == nil)
  }

  @Test("Every beginning of a text can be parsed")
  func beginnings() throws {
    let text = Array(
      #"{"id":"r","o":[{"id":"m","c":[{"t":"a\"b\\"}]},[],{}],"u":{"n":-1.5e3}}"#.utf8)
    for end in 1...text.count {
      let repaired = try #require(CutJSON.repaired(text[..<end]))
      #expect(throws: Never.self) { try JSONParser().parse(repaired) }
    }
  }
}
