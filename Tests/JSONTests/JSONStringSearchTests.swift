import JSON
import Testing

@Suite("Strings and keys are found by how they begin")
struct JSONStringSearchTests {
  private let search = JSONStringSearch(["id", "file-", "previous_response_id", ""])

  private func finds(_ text: String) throws -> Bool {
    try JSONParser().parse(Array(text.utf8)).contains(search)
  }

  @Test(
    "Wherever they stand, in capitals or not, written with escapes or not",
    arguments: [
      #"{"id":1}"#, #""id""#, #"["file-1"]"#, #"{"a":[{"b":[1.5,-2,true,null,"File-x"]}]}"#,
      #"{"a":{"\u0066ile-":0}}"#, #"{"previous_response_id":null}"#, #"["idle"]"#,
      #"["PREVIOUS_RESPONSE_IDs"]"#, #"{"a":"","b":"ID\u0000"}"#,
    ])
  func found(text: String) throws {
    #expect(try finds(text))
  }

  @Test(
    "Nothing else is found, whatever follows in memory",
    arguments: [
      #"{"role":"user","content":"a file-1 with an id"}"#, #"["","i","file","file_1"]"#,
      #"["previous_response_i","previous"]"#, #"{"a":1.5,"b":[[],{}],"c":105}"#, #""""#, "7",
    ])
  func notFound(text: String) throws {
    #expect(try !finds(text))
  }

  @Test("A part of a text is searched alone")
  func part() throws {
    let root = try JSONParser().parse(Array(#"{"a":{"b":"x"},"id":1}"#.utf8))
    #expect(root.contains(search))
    #expect(root["a"]?.contains(search) == false)
  }
}
