import JSON
import Pricing
import Testing

@testable import Metering

@Suite("A later event doesn't make a stream cheaper")
struct RepeatedUsageTests {
  private func report(
    _ events: [String], at endpoint: Endpoint = Endpoints.chatCompletions
  ) -> UsageReport {
    var meter = StreamMeter(
      endpoint: endpoint, facts: RequestFacts(operation: .chat, model: "m"), hidesUsage: false,
      parser: JSONParser())
    var output: [UInt8] = []
    for event in events { _ = meter.pass("data: \(event)\n\n".utf8, into: &output) }
    return meter.finish().report
  }

  private static func chunk(_ input: Int, _ output: Int, name: String = "usage") -> String {
    let usage = #"{"prompt_tokens":\#(input),"completion_tokens":\#(output)}"#
    return name == "usage"
      ? #"{"choices":[],"usage":\#(usage)}"# : #"{"choices":[],"x_groq":{"usage":\#(usage)}}"#
  }

  @Test(
    "A smaller usage doesn't replace a larger one", arguments: ["usage", "x_groq"],
    [(10, 1), (10, 0), (0, 0), (9, 899)])
  func smaller(name: String, later: (input: Int, output: Int)) throws {
    let report = report([
      Self.chunk(10, 900, name: name), Self.chunk(later.input, later.output, name: name), "[DONE]",
    ])
    #expect(report.usage == Usage(inputTokens: 10, outputTokens: 900))
    #expect(!report.isAmbiguous)
  }

  @Test("Of the usages at two places the larger counts")
  func twoPlaces() {
    for names in [["usage", "x_groq"], ["x_groq", "usage"]] {
      let report = report([
        Self.chunk(10, 900, name: names[0]), Self.chunk(10, 1, name: names[1]), "[DONE]",
      ])
      #expect(report.usage?.outputTokens == 900)
    }
  }

  @Test("A usage that grows counts at its last, with the details that come late")
  func growing() {
    let last = """
      {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":7,
      "prompt_tokens_details":{"cached_tokens":4}}}
      """.replacing("\n", with: "")
    let report = report([Self.chunk(10, 0), Self.chunk(10, 7), last, "[DONE]"])
    #expect(report.usage == Usage(inputTokens: 10, cachedInputTokens: 4, outputTokens: 7))
    #expect(!report.isAmbiguous)
  }

  @Test("Two usages of which neither is the larger are ambiguous")
  func contradictory() {
    let report = report([Self.chunk(10, 900), Self.chunk(500, 1), "[DONE]"])
    #expect(report.isAmbiguous)
    #expect(report.usage?.totalTokens == 910)
  }

  @Test("A response's usage, searches and drawing don't shrink at its end")
  func response() {
    func event(_ type: String, _ output: Int, searches: Int) -> String {
      """
      {"type":"response.\(type)","response":{"output":[],
      "usage":{"input_tokens":1,"output_tokens":\(output)},
      "tool_usage":{"web_search":{"num_requests":\(searches)},
      "image_gen":{"input_tokens":1,"output_tokens":\(output)}}}}
      """.replacing("\n", with: "")
    }
    let report = report(
      [event("in_progress", 900, searches: 3), event("completed", 1, searches: 1)],
      at: Endpoints.responses)
    #expect(report.usage?.outputTokens == 1_800)
    #expect(report.extraCalls.map(\.count) == [3])
  }

  @Test("A breakdown by models doesn't shrink")
  func breakdown() {
    func event(_ output: Int) -> String {
      """
      {"choices":[],"usage_breakdown":{"models":[{"model":"a",
      "usage":{"prompt_tokens":1,"completion_tokens":\(output)}}]}}
      """.replacing("\n", with: "")
    }
    #expect(report([event(900), event(1), "[DONE]"]).usage?.outputTokens == 900)
  }

  @Test("The first model that a stream names has its price")
  func model() {
    let events = ["", "dear", "cheap"].map { #"{"choices":[],"model":"\#($0)"}"# }
    #expect(report(events + ["[DONE]"]).responseModel == "dear")
  }
}
