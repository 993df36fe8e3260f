import JSON
import Pricing
import Testing

@testable import Metering

@Suite("An answer that has a member twice is ambiguous")
struct AmbiguousAnswerTests {
  private static let usage = #"{"prompt_tokens":9,"completion_tokens":5}"#
  private static let small = #"{"prompt_tokens":1,"completion_tokens":1}"#

  private static func report(
    _ answer: String, status: Int = 200, at endpoint: Endpoint = Endpoints.chatCompletions
  ) -> UsageReport {
    AnswerMeter.read(
      Array(answer.utf8), status: status, to: RequestFacts(operation: .chat, model: "m"),
      endpoint: endpoint, parser: JSONParser())
  }

  private static func isAmbiguous(event: String, at endpoint: Endpoint) -> Bool {
    var meter = StreamMeter(
      endpoint: endpoint, facts: RequestFacts(operation: .chat, model: "m"), hidesUsage: false,
      parser: JSONParser())
    var (chunk, output) = (Array("data: \(event)\n\n".utf8), [UInt8]())
    _ = meter.receive(&chunk, into: &output)
    return meter.finish().report.isAmbiguous
  }

  @Test(
    "at any depth that metering reads, whole and in a stream",
    arguments: [
      #"{"usage":\#(usage),"usage":\#(small)}"#,
      #"{"usage":\#(usage),"\u0075sage":\#(small)}"#,
      #"{"usage":{"prompt_tokens":9,"completion_tokens":1,"completion_tokens":5}}"#,
      #"{"usage":{"prompt_tokens_details":{"cached_tokens":9,"cached_tokens":0}}}"#,
      #"{"x_groq":{"usage":\#(small),"usage":\#(usage)}}"#,
      #"{"x_groq":{"usage_breakdown":{"models":[{"model":"a","usage":\#(usage),"model":"b"}]}}}"#,
      #"{"choices":[{"message":{"executed_tools":[{"index":0,"index":1,"type":"search"}]}}]}"#,
      #"{"choices":[],"choices":[{"delta":{"content":"a"}}]}"#,
      #"{"choices":[{"delta":{"content":"a","content":"abc"}}]}"#,
      #"{"model":"dear","usage":\#(usage),"model":"cheap"}"#,
    ])
  func ambiguous(_ answer: String) {
    #expect(Self.report(answer).isAmbiguous)
    #expect(Self.isAmbiguous(event: answer, at: Endpoints.chatCompletions))
  }

  @Test(
    "in a response and in its events",
    arguments: [
      #""usage":{"input_tokens":9},"usage":{"input_tokens":1}"#,
      #""usage":{"input_tokens":9,"output_tokens":1,"output_tokens":7}"#,
      #""output":[{"type":"message","type":"web_search_call"}]"#,
      #""output":[{"type":"web_search_call","action":{"type":"open","type":"search"}}]"#,
      #""tool_usage":{"web_search":{"num_requests":0,"num_requests":5}}"#,
      #""status":"in_progress","status":"completed""#,
    ])
  func responses(_ members: String) {
    #expect(Self.report("{\(members)}", at: Endpoints.responses).isAmbiguous)
    let event = #"{"type":"response.completed","response":{\#(members)}}"#
    #expect(Self.isAmbiguous(event: event, at: Endpoints.responses))
    let twice = #"{"type":"response.completed","response":{},"response":{\#(members)}}"#
    #expect(Self.isAmbiguous(event: twice, at: Endpoints.responses))
  }

  @Test(
    "in a line of a batch's results",
    arguments: [
      #"{"response":{"status_code":200,"body":{"usage":\#(usage),"usage":\#(small)}}}"#,
      #"{"custom_id":"a","response":null,"response":{"status_code":200,"body":{}}}"#,
      #"{"custom_id":"a","response":{"status_code":500,"status_code":200,"body":{}}}"#,
      #"{"custom_id":"a","response":{"status_code":200,"body":{},"body":{"usage":\#(usage)}}}"#,
    ])
  func batchLine(_ line: String) {
    let result = BatchResult(
      Array(line.utf8), to: RequestFacts(operation: .chat, model: "m"),
      endpoint: Endpoints.chatCompletions, parser: JSONParser())
    #expect(result?.report.isAmbiguous == true)
  }

  @Test("in the end of a realtime response and in a transcription")
  func realtime() throws {
    let parser = JSONParser()
    var meter = RealtimeMeter()
    let done = #"{"type":"response.done","response":{"usage":{"input_tokens":9,"input_tokens":1}}}"#
    meter.read(try parser.parse(Array(done.utf8)))
    #expect(meter.report.isAmbiguous)
    let transcribed = """
      {"type":"conversation.item.input_audio_transcription.completed",
       "usage":{"seconds":1,"seconds":90}}
      """
    guard
      case .transcribed(let report) = try RealtimeServerEvent.read(
        parser.parse(Array(transcribed.utf8)))
    else {
      Issue.record("no transcription")
      return
    }
    #expect(report.isAmbiguous)
  }

  @Test("the largest of several usages is read")
  func largest() {
    let usage = Usage(inputTokens: 9, outputTokens: 5)
    for (first, second) in [(Self.usage, Self.small), (Self.small, Self.usage)] {
      #expect(Self.report(#"{"usage":\#(first),"usage":\#(second)}"#).usage == usage)
    }
  }

  @Test("an error is ambiguous only if it has usage")
  func errors() {
    #expect(!Self.report(#"{"error":{},"error":{}}"#, status: 500).isAmbiguous)
    let usage = #"{"error":{},"usage":\#(Self.usage),"usage":\#(Self.small)}"#
    #expect(Self.report(usage, status: 500).isAmbiguous)
  }

  @Test(
    "not if the member costs nothing",
    arguments: [
      #"{"metadata":{"a":1,"a":2}}"#,
      #"{"tools":[{"parameters":{"type":"a","type":"b"}}],"usage":\#(usage)}"#,
      #"{"choices":[{"logprobs":{"content":[{"token":"a","token":"b"}]}}]}"#,
      #"{"choices":[{"index":0},{"index":0}],"usage":\#(usage)}"#,
    ])
  func plain(_ answer: String) {
    #expect(!Self.report(answer).isAmbiguous)
    #expect(!Self.isAmbiguous(event: answer, at: Endpoints.chatCompletions))
  }
}
