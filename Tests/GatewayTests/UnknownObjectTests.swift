import Objects
import Testing

@testable import Gateway

@Suite("Answers for objects that a client doesn't have")
struct UnknownObjectTests {
  @Test(
    "They are the provider's own for an unknown object",
    arguments: [
      (
        ObjectReference(.file, "file-1"), 404, "No such File object: file-1", "id" as String?,
        nil as String?
      ),
      (
        ObjectReference(.file, "file-1", at: "input_file_id"), 404, "No such File object: file-1",
        "input_file_id", nil
      ),
      (ObjectReference(.response, "resp_1"), 404, "Response with id 'resp_1' not found.", nil, nil),
      (
        ObjectReference(.response, "resp_1", at: "previous_response_id"), 400,
        "Previous response with id 'resp_1' not found.", "previous_response_id",
        "previous_response_not_found"
      ),
      (
        ObjectReference(.conversation, "conv_1", at: "conversation"), 404,
        "Conversation with id 'conv_1' not found.", "conversation", nil
      ),
      (ObjectReference(.batch, "batch_1"), 404, "No batch found with id 'batch_1'.", nil, nil),
      (
        ObjectReference(.fineTuningJob, "ft:gpt-5:acme::1", at: "model"), 404,
        "The model `ft:gpt-5:acme::1` does not exist or you do not have access to it.", nil,
        "model_not_found"
      ),
    ])
  func own(
    reference: ObjectReference, status: Int, message: String, param: String?, code: String?
  ) {
    let answer = RefusalAnswer(.unknownObject(reference))
    #expect(answer.status == status)
    #expect(answer.message == message)
    #expect(answer.type == "invalid_request_error")
    #expect(answer.param == param)
    #expect(answer.shownCode == code)
  }

  @Test("An id of any length makes a short answer")
  func long() {
    let reference = ObjectReference(.file, String(repeating: "a", count: 10_000), at: "input")
    #expect(RefusalAnswer(.unknownObject(reference)).message.utf8.count < 400)
  }
}

@Suite("Objects that the lines of a batch name")
struct BatchObjectsTests {
  @Test("Each object is looked up once, and is told by the first line that names it")
  func once() {
    var objects = BatchObjects()
    let (one, other) = (ObjectReference(.file, "file-1"), ObjectReference(.file, "file-2"))
    objects.add([one], ofLine: 1)
    objects.add([one, other], ofLine: 2)
    #expect(objects.count == 2)
    #expect(objects.takeReferences() == [one, other])
    objects.add([other], ofLine: 3)
    #expect(objects.takeReferences().isEmpty)
    #expect(objects.line(of: one) == 1)
    #expect(objects.line(of: other) == 2)
  }
}
