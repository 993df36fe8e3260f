import HTTP
import Testing

@testable import Objects

@Suite("The objects that header fields name")
struct HeaderReferenceTests {
  @Test(
    "A field names an object by its name and by the form of its value",
    arguments: [
      ("X-Previous-Response-Id", "resp_1", ["response resp_1 @x-previous-response-id"]),
      ("OpenAI-File-Id", "file-1", ["file file-1 @openai-file-id"]),
      ("openai-conversation-id", "conv_1", ["conversation conv_1 @openai-conversation-id"]),
      ("X-Container-Id", "CNTR_1", ["container CNTR_1 @x-container-id"]),
      ("Groq-Batch-Id", "batch_1", ["batch batch_1 @groq-batch-id"]), ("Via", "file-1", []),
      ("X-Conversation-Id", "42", []), ("X-Request-Id", "batch_7", []),
      ("X-Client-Request-Id", "resp_1", []), ("X-Catraca-Conversation", "conv_1", []),
      ("Idempotency-Key", "file-1", []), ("OpenAI-Beta", "assistants=v2", []),
      ("X-File-Id", "", []), ("X-File-Id", "f-", []),
    ])
  func fields(name: String, value: String, expected: [String]) throws {
    var fields = HeaderFields()
    try fields.append(try #require(FieldName(name)), value)
    #expect(naming(ObjectReferences.inFields(fields)) == expected)
  }
}
