import JSON
import Testing

@testable import Objects

@Suite("The objects of a realtime session")
struct SessionObjectTests {
  private func parsed(_ text: String) throws -> JSONValue {
    try JSONParser().parse(Array(text.utf8))
  }

  @Test(
    "An event names its items and responses wherever they stand",
    arguments: [
      (
        #"{"type":"response.create","response":{"conversation":"none","#
          + #""input":[{"type":"item_reference","id":"item_1"}],"prompt":{"id":"pmpt_1"}}}"#,
        ["item item_1 @response", "prompt pmpt_1 @response"]
      ),
      (
        #"{"type":"response.cancel","response_id":"resp_1"}"#, ["response resp_1 @response_id"]
      ),
      (#"{"type":"conversation.item.delete","item_id":"odd"}"#, ["item odd @item_id"]),
      (
        #"{"type":"conversation.item.create","previous_item_id":"odd","item":{"id":"x"}}"#,
        ["item odd @previous_item_id", "item x @item"]
      ),
      (
        #"{"type":"conversation.item.create","previous_item_id":"root","#
          + #""item":{"id":"x","role":"user","content":[{"type":"input_text","text":"a"}]}}"#,
        []
      ),
      (
        #"{"type":"conversation.item.create","item":{"type":"function_call_output","#
          + #""call_id":"call_1","output":"{\"file_id\":\"file-1\"}"}}"#,
        []
      ),
      (#"{"type":"input_audio_buffer.append","audio":"aaaa"}"#, []),
    ])
  func named(event: String, expected: [String]) throws {
    #expect(try naming(ObjectReferences.inSessionEvent(parsed(event))) == expected)
  }

  @Test(
    "An event gives ids to the items that it brings along",
    arguments: [
      (
        #"{"item":{"id":"a","role":"user","content":[{"type":"input_text","text":"x"}]}}"#,
        ["a"]
      ),
      (#"{"item":{"id":"a","type":"message","role":"user"}}"#, []),
      (
        #"{"response":{"input":[{"id":"a","type":"item_reference"},"#
          + #"{"id":"b","type":"function_call","name":"f"}]}}"#,
        ["b"]
      ),
    ])
  func given(event: String, expected: [String]) throws {
    #expect(try ObjectReferences.idsGiven(inSessionEvent: parsed(event)) == expected)
  }

  @Test(
    "What the provider shows is the session's",
    arguments: [
      (#"{"item":{"id":"x"}}"#, true), (#"{"item_id":"x"}"#, true),
      (#"{"response":{"id":"y","output":[{"id":"x"}]}}"#, true), (#"{"response_id":"x"}"#, true),
      (#"{"session":{"tools":[{"parameters":{"id":"x","item_id":"x"}}]}}"#, false),
      (#"{"previous_item_id":"x"}"#, false), (#"{"item":{"content":[{"id":"x"}]}}"#, false),
    ])
  func shown(event: String, isNoted: Bool) throws {
    var objects = SessionObjects()
    objects.note(shownIn: try parsed(event))
    for kind in [ObjectKind.item, .response] {
      #expect(objects.contains(ObjectReference(kind, "x")) == isNoted)
    }
    #expect(!objects.contains(ObjectReference(.file, "x")))
  }

  @Test("The oldest ids are forgotten first")
  func forgetting() {
    var objects = SessionObjects()
    objects.note(given: (0...SessionObjects.mostIDs).map { "item_\($0)" })
    #expect(!objects.contains(ObjectReference(.item, "item_0")))
    #expect(objects.contains(ObjectReference(.item, "item_1")))
    #expect(objects.contains(ObjectReference(.item, "item_\(SessionObjects.mostIDs)")))
  }
}
