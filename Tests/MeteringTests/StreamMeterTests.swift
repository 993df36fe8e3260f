import JSON
import Pricing
import Testing

@testable import Metering

@Suite("A stream is metered in passing")
struct StreamMeterTests {
  let parser = JSONParser()

  private func meter(hidesUsage: Bool = false, largestEvent: Int = 1 << 20) -> StreamMeter {
    StreamMeter(
      endpoint: Endpoints.chatCompletions, facts: RequestFacts(operation: .chat, model: "m"),
      hidesUsage: hidesUsage, parser: parser, largestEvent: largestEvent)
  }

  private func run(
    _ body: String, hidesUsage: Bool = false, chunk: Int = 5, largestEvent: Int = 1 << 20
  ) -> (client: String, end: StreamEnd) {
    var meter = meter(hidesUsage: hidesUsage, largestEvent: largestEvent)
    let bytes = Array(body.utf8)
    var output: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: chunk) {
      _ = meter.pass(bytes[start..<min(start + chunk, bytes.count)], into: &output)
    }
    let end = meter.finish()
    meter.takeWithheld(into: &output)
    return (String(decoding: output, as: UTF8.self), end)
  }

  static let usage = #""usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}"#

  @Test("the end of the stream, and all behind it, waits until it is taken")
  func terminatorIsWithheld() {
    var meter = meter()
    var output: [UInt8] = []
    let start = Array("data: {\"choices\":[]}\n\ndata: [DONE]\n\n: be".utf8)
    #expect(meter.pass(start, into: &output) == .terminated)
    #expect(meter.pass("hind\n".utf8, into: &output) == .terminated)
    #expect(String(decoding: output, as: UTF8.self) == "data: {\"choices\":[]}\n\n")
    #expect(meter.finish().hasTerminator)

    meter.takeWithheld(into: &output)
    #expect(meter.pass("\n".utf8, into: &output) == .flowing)
    #expect(
      String(decoding: output, as: UTF8.self)
        == "data: {\"choices\":[]}\n\ndata: [DONE]\n\n: behind\n\n")
  }

  @Test("an endless tail behind the end is bounded, and marked")
  func tailIsBounded() {
    var meter = meter()
    var output: [UInt8] = []
    _ = meter.pass("data: [DONE]\n\n".utf8, into: &output)
    let chunk = [UInt8](repeating: 0x20, count: 50_000)
    for _ in 0..<4 { _ = meter.pass(chunk, into: &output) }
    #expect(meter.finish().report.isUnreadable)
    meter.takeWithheld(into: &output)
    #expect(output.count == StreamMeter.largestTail)
  }

  @Test("an unterminated last event counts when it is whole, and passes in any case")
  func unterminatedEvent() {
    let usage = run(#"data: {"choices":[{}],\#(Self.usage)}"#)
    #expect(usage.end.report.usage?.totalTokens == 5)
    #expect(!usage.end.isTorn)
    #expect(usage.client.hasSuffix("}"))

    let terminator = run("data: [DONE]")
    #expect(terminator.end.hasTerminator)
    #expect(terminator.client == "data: [DONE]")

    let torn = run(#"data: {"choices":[{}],"usa"#)
    #expect(torn.end.isTorn)
    #expect(torn.client == #"data: {"choices":[{}],"usa"#)
  }

  @Test("an unterminated usage chunk that Catraca asked for is taken out too")
  func unterminatedInjectedUsage() {
    let result = run(#"data: {"choices":[],\#(Self.usage)}"#, hidesUsage: true)
    #expect(result.client == "")
    #expect(result.end.report.usage?.inputTokens == 3)
  }

  @Test(
    "usage:null goes without a trace where Catraca asked for usage",
    arguments: [
      (#"{"a":1,"usage":null}"#, #"{"a":1}"#),
      (#"{"usage":null,"a":1}"#, #"{"a":1}"#),
      (#"{"usage": null , "a":1}"#, #"{"a":1}"#),
      (#"{"usage":null}"#, "{}"),
      (
        #"{"a":[{"usage":null}],"usage":null,"b":"\"usage\":null"}"#,
        #"{"a":[{"usage":null}],"b":"\"usage\":null"}"#
      ),
      (#"{"a":{"usage":null}}"#, #"{"a":{"usage":null}}"#),
      (#"{"\u0075sage":null,"a":1}"#, #"{"a":1}"#),
    ])
  func nullUsage(_ sent: String, _ received: String) {
    for lineEnd in ["\n", "\r\n", "\r"] {
      let frame = { (json: String) in "id: 1\(lineEnd)data: \(json)\(lineEnd)\(lineEnd)" }
      #expect(run(frame(sent), hidesUsage: true).client == frame(received))
      #expect(run(frame(sent), hidesUsage: false).client == frame(sent))
    }
  }

  @Test("only a chunk with usage and without choices is dropped, and only if Catraca asked")
  func usageChunk() {
    let usageOnly = "data: {\"choices\":[],\(Self.usage)}\n\n"
    #expect(run(usageOnly, hidesUsage: true).client == "")
    #expect(run(usageOnly).client == usageOnly)
    for kept in [
      "data: {\"choices\":[{\"delta\":{}}],\(Self.usage)}\n\n",
      "data: {\"choices\":[]}\n\n", "data: {\(Self.usage)}\n\n", ": note\n\n", "\n",
      "event: ping\ndata:\n\n",
    ] {
      #expect(run(kept, hidesUsage: true).client == kept)
    }
  }

  @Test("what passes keeps its order where events between are cut, dropped or passed")
  func mixedEvents() {
    let plain = #"data: {"choices":[{"delta":{"content":"a"}}]}"# + "\n\n"
    let dropped = "data: {\"choices\":[],\(Self.usage)}\n\n"
    let cut = #"data: {"usage":null,"a":1}"# + "\n\n"
    let parts = [plain, cut, dropped, ": note\n\n", cut, cut, plain, dropped, plain]
    let expected = parts.filter { $0 != dropped }
      .map { $0.replacing(#""usage":null,"#, with: "") }.joined()
    let end = "data: [DONE]\n\n"
    for chunk in [1, 7, 40, 100, 10_000] {
      let result = run(parts.joined() + end, hidesUsage: true, chunk: chunk)
      #expect(result.client == expected + end)
      #expect(result.end.hasTerminator)
    }
  }

  @Test("text that looks like usage or like the end isn't taken for it")
  func hostileText() {
    let text = #"\n\ndata: [DONE]\n\n\"usage\":{\"prompt_tokens\":1}"#
    let body = #"data: {"choices":[{"delta":{"content":"\#(text)"}}]}"# + "\n\n"
    let result = run(body, hidesUsage: true)
    #expect(result.client == body)
    #expect(result.end.report.usage == nil)
    #expect(!result.end.hasTerminator)
  }

  @Test("usage that comes again replaces what came before; an empty one doesn't")
  func replaced() {
    let events = [
      #"{"usage":{"prompt_tokens":1,"completion_tokens":1}}"#,
      #"{"usage":{"prompt_tokens":9,"completion_tokens":8}}"#,
      #"{"usage":{}}"#, #"{"usage":null}"#,
      #"{"x_groq":{"usage":{"prompt_tokens":4,"completion_tokens":4}}}"#,
    ]
    let usage = run(events.map { "data: \($0)\n\n" }.joined()).end.report.usage
    #expect(usage == Usage(inputTokens: 9, outputTokens: 8))
  }

  @Test("several data lines make one event")
  func severalLines() {
    let body = "data: {\"choices\":[],\ndata: \(Self.usage)}\n\n"
    #expect(run(body).end.report.usage?.totalTokens == 5)
    #expect(run(body, hidesUsage: true).client == "")
  }

  @Test("an event above the limit, and all behind it, passes unmetered and marked")
  func largeEvent() {
    let body =
      "data: {}\n\ndata: \"\(String(repeating: "x", count: 100))\"\n\n"
      + "data: {\(Self.usage)}\n\ndata: [DONE]\n\n"
    for chunk in [1, 7, 1000] {
      let result = run(body, chunk: chunk, largestEvent: 64)
      #expect(result.client == body)
      #expect(result.end.report.isUnreadable)
      #expect(result.end.report.usage == nil)
    }
  }

  @Test("a body in another format passes unmetered", arguments: ["<html>", "[1]", "\n [1]"])
  func otherFormat(_ body: String) {
    let result = run(body)
    #expect(result.client == body)
    #expect(result.end.report.isUnreadable)
    #expect(result.end.isIncomplete)
  }

  @Test("a body that is a JSON object is withheld to its end, and read")
  func object() {
    let body = " \r\n {\(Self.usage)} \n"
    for chunk in [1, 7, 1000] {
      let result = run(body, hidesUsage: true, chunk: chunk)
      #expect(result.client == body)
      #expect(result.end.report.usage?.totalTokens == 5)
      #expect(!result.end.report.isUnreadable && !result.end.isIncomplete)
      #expect(run("{\(Self.usage)", chunk: chunk).end.report.isUnreadable)
      #expect(run(body, chunk: chunk, largestEvent: 20).end.report.usage == nil)
      #expect(run(body, chunk: chunk, largestEvent: 20).client == body)
    }
    var meter = meter()
    var output: [UInt8] = []
    #expect(meter.pass(body.utf8, into: &output) == .flowing)
    #expect(!output.contains(UInt8(ascii: "{")) && !meter.isBetweenEvents)
  }

  @Test(
    "a body without an event that has data can't be understood",
    arguments: ["", "\n", ": note\n\n", "event: ping\n\n", "Hello\n\n", "data:\n\n"])
  func withoutEvents(_ body: String) {
    let result = run(body)
    #expect(result.client == body)
    #expect(result.end.isIncomplete)
    #expect(!run(body + "data: [DONE]\n\n").end.isIncomplete)
  }

  @Test("nothing of an event that may not pass unread passes, nor of what follows it")
  func refusedEvent() {
    let first = "data: {\(Self.usage)}\n\n"
    let body = first + "data: \"\(String(repeating: "x", count: 100))\"\n\n" + first
    for chunk in [1, 7, 1000] {
      var meter = StreamMeter(
        endpoint: Endpoints.chatCompletions, facts: RequestFacts(operation: .chat, model: "m"),
        hidesUsage: false, parser: parser, passesUnread: false, largestEvent: 90)
      var output: [UInt8] = []
      var progress = StreamMeter.Progress.flowing
      for start in stride(from: 0, to: body.utf8.count, by: chunk) {
        progress = meter.pass(Array(body.utf8.dropFirst(start).prefix(chunk)), into: &output)
      }
      #expect(progress == .refused && !meter.isBetweenEvents)
      #expect(String(decoding: output, as: UTF8.self) == first)
      // Earlier fields may have grown.
      #expect(meter.finish().report.usage == nil)
      meter.takeWithheld(into: &output)
      #expect(output.count == first.utf8.count)
    }
  }

  @Test("an event that isn't JSON passes, is marked, and doesn't stop metering")
  func unreadableEvent() {
    let body = "data: hello\n\ndata: {\(Self.usage)}\n\n"
    let result = run(body, hidesUsage: true)
    #expect(result.client == body)
    #expect(result.end.report.isUnreadable)
    #expect(result.end.report.usage?.totalTokens == 5)
  }

  @Test("the text of all kinds of deltas is counted")
  func outputText() {
    let events = [
      #"{"choices":[{"delta":{"content":"ab","refusal":"c","reasoning":"de"}}]}"#,
      #"{"choices":[{"delta":{"reasoning_content":"fgh"}},{"delta":{"content":"é"}}]}"#,
      #"{"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}}]}"#,
      #"{"choices":[{"delta":{"function_call":{"arguments":"xy"},"audio":{"transcript":"z"}}}]}"#,
    ]
    let report = run(events.map { "data: \($0)\n\n" }.joined()).end.report
    #expect(report.outputTextBytes == 2 + 1 + 2 + 3 + 2 + 3 + 2 + 1)
  }

  @Test("a compound stream gives its breakdown, and each tool once")
  func compound() {
    let tool =
      #"{"choices":[{"index":0,"delta":{"executed_tools":[{"index":0,"type":"search"}]}}]}"#
    let last =
      #"{"choices":[],"x_groq":{"usage":{"prompt_tokens":5,"completion_tokens":5},"#
      + #""usage_breakdown":{"models":[{"model":"m","usage":{"prompt_tokens":3,"#
      + #""completion_tokens":1}},{"model":"n","usage":{"prompt_tokens":2,"completion_tokens":4}}"#
      + "]}}}"
    let report = run([tool, tool, last].map { "data: \($0)\n\n" }.joined()).end.report
    #expect(report.breakdown.map(\.model) == ["m", "n"])
    #expect(report.usage == Usage(inputTokens: 5, outputTokens: 5))
    #expect(report.extraCalls == [ExtraCall(name: "search", count: 1, surcharge: "web_search")])
  }
}
