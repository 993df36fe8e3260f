import JSON
import Pricing
import Testing

@testable import Metering

@Suite("What a response says of its usage is found, whole or in a stream")
struct ResponsesAnswerTests {
  private let facts = RequestFacts(operation: .responses, model: "m")

  private func report(_ body: String) -> UsageReport {
    AnswerMeter.read(
      Array(body.utf8), to: facts, endpoint: Endpoints.responses, parser: JSONParser())
  }

  private func stream(_ events: [String]) -> (passed: String, end: StreamEnd) {
    var meter = StreamMeter(
      endpoint: Endpoints.responses, facts: facts, hidesUsage: false, parser: JSONParser())
    var output: [UInt8] = []
    for event in events {
      _ = meter.pass("data: \(event)\n\n".utf8, into: &output)
    }
    return (String(decoding: output, as: UTF8.self), meter.finish())
  }

  @Test(
    "calls are counted in the output where tool_usage doesn't say",
    arguments: [
      (#"{"type":"web_search_call","action":{"type":"search"}}"#, ["web_search": 1]),
      (#"{"type":"web_search_call"}"#, ["web_search": 1]),
      (#"{"type":"web_search_call","action":{"type":"open_page"}}"#, [:]),
      (#"{"type":"web_search_call","action":{"type":"find_in_page"}}"#, [:]),
      (#"{"type":"file_search_call"},{"type":"file_search_call"}"#, ["file_search": 2]),
      (
        #"{"type":"code_interpreter_call","container_id":"a"},"#
          + #"{"type":"code_interpreter_call","container_id":"a"},"#
          + #"{"type":"code_interpreter_call","container_id":"b"}"#, ["code_interpreter": 2]
      ),
      (
        #"{"type":"code_interpreter_call","container_id":"a"},"#
          + #"{"type":"shell_call","environment":"#
          + #"{"type":"container_reference","container_id":"a"}}"#,
        ["code_interpreter": 1]
      ),
      (#"{"type":"shell_call","call_id":"c","environment":{"type":"local"}}"#, [:]),
      (#"{"type":"shell_call","call_id":"c","environment":null}"#, [:]),
      (#"{"type":"shell_call_output","call_id":"c"}"#, [:]),
      (
        #"{"type":"shell_call","call_id":"c"},{"type":"shell_call_output","call_id":"c"},"#
          + #"{"type":"shell_call","call_id":"d"},{"type":"shell_call_output","call_id":"d"}"#,
        ["shell": 1]
      ),
      (#"{"type":"local_shell_call","call_id":"c"}"#, [:]),
      (#"{"type":"image_generation_call"}"#, ["image_generation": 1]),
      (#"{"type":"mcp_call"},{"type":"function_call"},{"type":"message"}"#, [:]),
      (#"{"type":"computer_call"},{"type":"multi_agent_call"},{"type":"tool_search_call"}"#, [:]),
      (#"{"type":"web_search_call","action":{"type":"image_search"}}"#, ["web_search": 1]),
      (#"{"type":"web_search_call","action":{"type":"zoom"}}"#, ["web_search_zoom": 1]),
      (#"{"type":"web_search_preview_call"}"#, ["web_search": 1]),
      (
        #"{"type":"image_search_call"},{"type":"new_paid_call"}"#,
        ["image_search": 1, "new_paid": 1]
      ),
      (
        #"{"type":"web_search_call","id":"a"},{"type":"web_search_call","id":"a"},"#
          + #"{"type":"web_search_call","id":"b"}"#, ["web_search": 2]
      ),
    ] as [(String, [String: Int64])])
  func calls(_ items: String, _ expected: [String: Int64]) {
    let usage = #"{"input_tokens":1,"total_tokens":1}"#
    let report = report(#"{"output":[\#(items)],"usage":\#(usage)}"#)
    let calls = Dictionary(uniqueKeysWithValues: report.extraCalls.map { ($0.name, $0.count) })
    #expect(calls == expected)
  }

  @Test("drawings by a model of text are a bill of their own, once, whole or in a stream")
  func vectors() {
    let item = { (model: String, output: Int) in
      #"{"type":"image_generation_call","svg_usage":{"model":"\#(model)","input_tokens":5,"#
        + #""output_tokens":\#(output),"reasoning_tokens":2,"total_tokens":\#(5 + output)}}"#
    }
    let items = [item("m-svg", 7), item("m-svg", 9), item("m-other", 4)]
    let whole =
      #"{"output":[\#(items.joined(separator: ","))],"usage":{"input_tokens":1,"total_tokens":1}}"#
    let (_, end) = stream(
      items.map { #"{"type":"response.output_item.done","item":\#($0)}"# }
        + [#"{"type":"response.completed","response":\#(whole)}"#])
    for report in [report(whole), end.report] {
      #expect(report.breakdown.map(\.model) == ["m", "m-svg", "m-other"])
      #expect(report.breakdown.map(\.usage.inputTokens) == [1, 10, 5])
      #expect(report.breakdown.map(\.usage.outputTokens) == [0, 16, 4])
      #expect((report.usage?.inputTokens, report.usage?.outputTokens) == (16, 20))
      #expect(report.extraCalls.isEmpty)
    }
  }

  @Test("the last event repeats the calls that were seen, and counts them once")
  func repeatedCalls() {
    let item = #"{"type":"web_search_call","action":{"type":"search"}}"#
    let (_, end) = stream([
      #"{"type":"response.output_item.done","item":\#(item)}"#,
      #"{"type":"response.completed","response":{"output":[\#(item)],"usage":null}}"#,
    ])
    #expect(end.report.extraCalls.map(\.count) == [1])
    #expect(end.hasTerminator)
  }

  @Test("calls and text of a stream that breaks off are kept for the estimate")
  func brokenOff() {
    let (_, end) = stream([
      #"{"type":"response.output_item.done","item":{"type":"file_search_call"}}"#,
      #"{"type":"response.output_text.delta","delta":"Olá"}"#,
      #"{"type":"response.function_call_arguments.delta","delta":"{}"}"#,
      #"{"type":"response.audio.delta","delta":"AAAA"}"#,
    ])
    #expect(end.report.usage == nil)
    #expect(end.report.outputTextBytes == 6)
    #expect(end.report.extraCalls.map(\.name) == ["file_search"])
    #expect(!end.hasTerminator)
  }

  @Test(
    "the event that ends a stream is withheld until its usage is recorded",
    arguments: ["response.completed", "response.incomplete", "response.failed", "error"])
  func withheld(_ type: String) {
    let (passed, end) = stream([
      #"{"type":"response.created","response":{"model":"m-1","usage":null}}"#,
      #"{"type":"\#(type)","response":{"usage":{"input_tokens":2,"output_tokens":3}}}"#,
    ])
    #expect(!passed.contains(type))
    #expect(end.hasTerminator)
    #expect(end.report.responseModel == "m-1")
    #expect(end.report.isError == (type == "response.failed" || type == "error"))
    let usage = type == "error" ? nil : Usage(inputTokens: 2, outputTokens: 3)
    #expect(end.report.usage == usage)
  }

  @Test("an event without a type is no event of this API")
  func untyped() {
    #expect(stream([#"{"choices":[]}"#]).end.report.isUnreadable)
    let (_, end) = stream([#"{"error":{"message":"overloaded"}}"#])
    #expect(end.report.isError)
    #expect(!end.report.isUnreadable)
  }

  @Test("a good answer of an endpoint that is free reports a usage of nothing")
  func moderation() {
    let report = AnswerMeter.read(
      Array(#"{"results":[]}"#.utf8), to: facts, endpoint: Endpoints.moderations,
      parser: JSONParser())
    #expect(report.usage == .zero)
    let error = AnswerMeter.read(
      Array(#"{"error":{"message":"no"}}"#.utf8), status: 400, to: facts,
      endpoint: Endpoints.moderations, parser: JSONParser())
    #expect(error.usage == nil)
    #expect(error.isError)
  }
}
