import JSON
import Pricing
import Testing

@testable import Metering

@Suite("The files of a batch")
struct BatchFilesTests {
  private let parser = JSONParser()

  private func line(_ text: String) throws(MeteringError) -> BatchLine {
    try BatchLine(Array(text.utf8), endpoint: Endpoints.chatCompletions, parser: parser)
  }

  @Test("A request for a batch names its file and its endpoint")
  func request() throws {
    let body = #"{"input_file_id":"file-1","endpoint":"/v1/embeddings","completion_window":"24h"}"#
    let batch = try BatchRequest(Array(body.utf8), parser: parser)
    #expect(batch.inputFileID == "file-1")
    #expect(batch.endpoint.operation == .embedding)
  }

  @Test(
    "One that doesn't is refused",
    arguments: [
      (#"{"endpoint":"/v1/embeddings"}"#, "input_file_id"),
      (#"{"input_file_id":"a/../b","endpoint":"/v1/embeddings"}"#, "input_file_id"),
      (#"{"input_file_id":"f"}"#, "endpoint"),
      (#"{"input_file_id":"f","endpoint":"/v1/audio/speech"}"#, "endpoint"),
      (#"{"input_file_id":"f","endpoint":"/v1/embeddings","endpoint":"/v1/x"}"#, "endpoint"),
    ])
  func invalidRequest(_ body: String, _ param: String) {
    let error = #expect(throws: MeteringError.self) {
      try BatchRequest(Array(body.utf8), parser: parser)
    }
    #expect(error?.param == param)
  }

  @Test("A line is the request that it has in it, in the tier of batches")
  func requestLine() throws {
    let body =
      #"{"model":"m","messages":[],"max_tokens":7,"service_tier":"priority","stream":true}"#
    let facts = try line(
      #"{"custom_id":"1","method":"POST","url":"/v1/chat/completions","body":\#(body)}"#
    ).facts
    #expect(facts.model == "m" && facts.outputLimit == 7)
    #expect(facts.serviceTier == "batch" && !facts.stream)
  }

  @Test(
    "What isn't a request to the batch's endpoint is refused",
    arguments: [
      ("nothing", nil), (#"{"method":"POST","url":"/v1/chat/completions"}"#, "body"),
      (#"{"method":"GET","url":"/v1/chat/completions","body":{}}"#, "method"),
      (#"{"method":"POST","url":"/v1/embeddings","body":{"model":"m"}}"#, "url"),
      (#"{"method":"POST","url":"/v1/chat/completions","body":{}}"#, "model"),
      (#"{"method":"POST","url":"/v1/chat/completions","body":{"model":"m"},"body":{}}"#, "body"),
      (
        #"{"method":"POST","url":"/v1/chat/completions","body":{"model":"m","model":"n"}}"#,
        "model"
      ),
    ] as [(String, String?)])
  func invalidLine(_ text: String, _ param: String?) {
    let error = #expect(throws: MeteringError.self) { try line(text) }
    #expect(error?.param == param)
  }

  @Test("A result has the answer's status and usage, in the tier of batches")
  func result() throws {
    let facts = RequestFacts(operation: .chat, model: "m")
    let answer =
      #"{"model":"m-1","usage":{"prompt_tokens":5,"completion_tokens":2},"service_tier":"default"}"#
    let fine = try #require(
      BatchResult(
        Array(#"{"custom_id":"1","response":{"status_code":200,"body":\#(answer)}}"#.utf8),
        to: facts, endpoint: Endpoints.chatCompletions, parser: parser))
    #expect(fine.status == 200 && fine.report.usage?.totalTokens == 7)
    #expect(fine.report.responseModel == "m-1" && fine.report.serviceTier == "batch")
    let never = try #require(
      BatchResult(
        Array(#"{"custom_id":"2","response":null,"error":{"code":"batch_expired"}}"#.utf8),
        to: facts, endpoint: Endpoints.chatCompletions, parser: parser))
    #expect(never.status == nil && never.report.usage == nil)
    #expect(
      BatchResult(
        Array("torn".utf8), to: facts, endpoint: Endpoints.chatCompletions, parser: parser) == nil)
  }

  @Test("A batch says where its results are")
  func object() throws {
    let text = """
      {"id":"batch_1","status":"expired","endpoint":"/v1/responses","output_file_id":"file-o",
       "error_file_id":null}
      """
    let batch = try #require(BatchObject(Array(text.utf8), parser: parser))
    #expect(batch.work.id == "batch_1" && batch.work.stage == .ended(.expired))
    #expect(batch.resultFileIDs == ["file-o"])
    #expect(!batch.lacksAnswers)
    #expect(batch.endpoint?.operation == .responses)
    #expect(BatchObject(Array("{}".utf8), parser: parser) == nil)
  }

  @Test(
    "A batch whose answers no file shows is told from one that made none",
    arguments: [
      (#""output_file_id":null,"request_counts":{"total":3,"completed":2,"failed":1}"#, true),
      (#""output_file_id":"f","request_counts":{"total":3,"completed":2,"failed":1}"#, false),
      (#""error_file_id":"f","request_counts":{"total":3,"completed":0,"failed":3}"#, false),
      (#""output_file_id":null"#, false),
    ] as [(String, Bool)])
  func lostAnswers(_ members: String, _ lacksAnswers: Bool) throws {
    let text = #"{"id":"batch_1","status":"cancelled",\#(members)}"#
    let batch = try #require(BatchObject(Array(text.utf8), parser: parser))
    #expect(batch.lacksAnswers == lacksAnswers)
  }

  @Test("A line whose answer would be made in the background is refused")
  func background() {
    let body = #"{"model":"m","input":"x","background":true}"#
    let text = #"{"method":"POST","url":"/v1/responses","body":\#(body)}"#
    let error = #expect(throws: MeteringError.self) {
      try BatchLine(Array(text.utf8), endpoint: Endpoints.responses, parser: parser)
    }
    #expect(error?.param == "background")
  }

  @Test("Lines are found wherever the pieces of a file are cut", arguments: 1...12)
  func lines(_ size: Int) throws {
    let file = Array("one\r\n\n  \ntwo\nthree".utf8)
    var splitter = LineSplitter(longest: 10)
    var lines: [[UInt8]] = []
    for start in stride(from: 0, to: file.count, by: size) {
      lines += try splitter.receive(Array(file[start..<min(start + size, file.count)]))
    }
    if let last = splitter.finish() { lines.append(last) }
    #expect(lines.map { String(decoding: $0, as: UTF8.self) } == ["one\r", "two", "three"])
  }

  @Test("A line above the limit is none")
  func longLine() {
    #expect(throws: LineSplitter.TooLong.self) {
      var splitter = LineSplitter(longest: 3)
      _ = try splitter.receive(Array("ab".utf8))
      _ = try splitter.receive(Array("cd".utf8))
    }
  }
}
