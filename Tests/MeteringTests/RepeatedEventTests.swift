import JSON
import Pricing
import Testing

@testable import Metering

@Suite("An event that repeats the last one but for its text is metered all the same")
struct RepeatedEventTests {
  private let parser = JSONParser()

  private func run(
    _ events: [String], endpoint: Endpoint = Endpoints.chatCompletions, hidesUsage: Bool = false
  ) -> (client: String, report: UsageReport) {
    var meter = StreamMeter(
      endpoint: endpoint, facts: RequestFacts(operation: .chat, model: "m"),
      hidesUsage: hidesUsage, parser: parser)
    var output: [UInt8] = []
    for event in events { _ = meter.pass("data: \(event)\n\n".utf8, into: &output) }
    let end = meter.finish()
    meter.takeWithheld(into: &output)
    return (String(decoding: output, as: UTF8.self), end.report)
  }

  private static func chunk(_ delta: String, tail: String = "") -> String {
    #"{"id":"c","model":"m-1","choices":[{"index":0,"delta":{\#(delta)}}]\#(tail)}"#
  }

  private static let texts = ["a", " word", "", "ção", #"a \"quoted\" \n"#, "end", "🙂", " x"]

  @Test("its text is counted", arguments: ["content", "reasoning", "refusal"])
  func text(_ member: String) {
    let events = Self.texts.map { Self.chunk(#""\#(member)":"\#($0)""#) }
    // Unescaped: two quotation marks and a line feed are three bytes.
    let bytes = 1 + 5 + 0 + 5 + 12 + 3 + 4 + 2
    #expect(run(events).report.outputTextBytes == Int64(bytes))
    #expect(run(events).report.responseModel == "m-1")
  }

  @Test("its empty usage is cut out wherever its text leaves it")
  func usage() {
    func events(_ usage: String) -> [String] {
      Self.texts.enumerated().map { index, text in
        Self.chunk(
          #""content":"\#(text)""#, tail: #"\#(usage),"obfuscation":"\#(text)\#(index)""#)
      }
    }
    let bare = events("").map { "data: \($0)\n\n" }.joined()
    #expect(run(events(#","usage":null"#), hidesUsage: true).client == bare)
  }

  @Test("calls of a tool without a place are counted each time")
  func tools() {
    let tool = #""content":"x","executed_tools":[{"type":"search","arguments":"{}"}]"#
    let report = run([Self.chunk(tool), Self.chunk(tool), Self.chunk(tool)]).report
    #expect(report.extraCalls.reduce(0) { $0 + $1.count } == 3)
  }

  @Test("an error behind it is seen, and another model changes nothing")
  func change() {
    let first = Self.chunk(#""content":"x""#)
    let failed = run([first, first, #"{"error":{"message":"content"}}"#]).report
    #expect(failed.isError)
    let other = first.replacing("m-1", with: "m-2")
    #expect(run([first, first, other]).report.responseModel == "m-1")
  }

  @Test("the numbered deltas of a response are counted")
  func response() {
    let events = Self.texts.enumerated().map { index, text in
      #"{"type":"response.output_text.delta","sequence_number":\#(index * 7),"item_id":"i","#
        + #""delta":"\#(text)","obfuscation":"\#(index)"}"#
    }
    let report = run(events, endpoint: Endpoints.responses).report
    #expect(report.outputTextBytes == 32)
    #expect(!report.isUnreadable)
  }

  @Test("what isn't JSON behind it is marked")
  func broken() {
    let first = Self.chunk(#""content":"x""#)
    #expect(run([first, first + "}"]).report.isUnreadable)
    #expect(run([first, String(first.dropLast())]).report.isUnreadable)
  }
}
