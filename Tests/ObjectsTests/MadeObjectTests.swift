import JSON
import Testing

@testable import Objects

@Suite("The objects that an answer shows to have been made")
struct MadeObjectTests {
  private func made(
    _ answer: String, _ places: [(place: String, kind: ObjectKind)]
  ) throws -> [String] {
    MadeObjects.inAnswer(try JSONParser().parse(Array(answer.utf8)), at: places)
      .map { "\($0.kind.rawValue) \($0.id)" }
  }

  @Test("Members, members of members and those of elements are read")
  func places() throws {
    #expect(try made(#"{"id":"file-1"}"#, [("id", .file)]) == ["file file-1"])
    #expect(try made(#"{"file":{"id":"file-1"}}"#, [("file.id", .file)]) == ["file file-1"])
    #expect(
      try made(#"{"data":[{"id":"a"},{"id":"b"},{},7]}"#, [("data[].id", .item)])
        == ["item a", "item b"])
    #expect(
      try made(#"{"result_files":["file-1","file-2"]}"#, [("result_files[]", .file)])
        == ["file file-1", "file file-2"])
  }

  @Test("A response shows itself, its items and their containers, each once")
  func response() throws {
    let answer =
      #"{"id":"resp_1","output":[{"id":"ci_1","container_id":"cntr_1"},"#
      + #"{"id":"sh_1","environment":{"container_id":"cntr_1"}},{"id":"sh_2","environment":null}]}"#
    #expect(
      try made(answer, ObjectEndpoints.madeWithResponse) == [
        "response resp_1", "item ci_1", "item sh_1", "item sh_2", "container cntr_1",
      ])
  }

  @Test("A citation shows a container and its file, and not the file of a search")
  func citations() throws {
    let answer =
      #"{"id":"resp_1","output":[{"id":"msg_1","content":[{"annotations":["#
      + #"{"container_id":"cntr_1","file_id":"cfile_1"},{"file_id":"file-1"},"#
      + #"{"container_id":null,"file_id":"file-2"}]}]}]}"#
    #expect(
      try made(answer, ObjectEndpoints.madeWithResponse)
        == ["response resp_1", "item msg_1", "container cfile_1", "container cntr_1"])
  }

  @Test(
    "What can't be an id is left out",
    arguments: [
      "\"\"", "null", "7", "[\"a\"]", "\"a/b\"", "\"..\"", "\"a b\"", "\"a\\u0000\"", "\"é\"",
      "\"\(String(repeating: "a", count: 257))\"",
    ])
  func impossible(id: String) throws {
    #expect(try made("{\"id\":\(id)}", [("id", .file)]) == [])
  }

  @Test("An id of 256 bytes, and one with a colon or other marks, are ids")
  func possible() throws {
    let long = String(repeating: "a", count: 256)
    #expect(try made("{\"id\":\"\(long)\"}", [("id", .file)]) == ["file \(long)"])
    #expect(
      try made(#"{"id":"ft:gpt-4o:acme::x"}"#, [("id", .fineTuningJob)])
        == ["fine_tuning_job ft:gpt-4o:acme::x"])
    #expect(try made(#"{"id":"resp_a+b=="}"#, [("id", .response)]) == ["response resp_a+b=="])
  }
}
