import JSON
import Pricing
import Testing

@testable import Metering

@Suite("What lets a response cost more than one run over its input is found")
struct DearRequestsTests {
  private func facts(_ members: String) throws -> RequestFacts {
    try RequestFacts.read(
      Array(#"{"model":"m","input":"x",\#(members)}"#.utf8), endpoint: Endpoints.responses,
      parser: JSONParser())
  }

  @Test(
    "Several runs are summed in a mode other than the standard one",
    arguments: [
      (#""reasoning":{"mode":"pro"}"#, true), (#""reasoning":{"mode":"tomorrow"}"#, true),
      (#""reasoning":{"mode":"standard"}"#, false), (#""reasoning":{"mode":null}"#, false),
      (#""reasoning":{"effort":"high"}"#, false), (#""reasoning":null"#, false),
    ])
  func modes(members: String, expected: Bool) throws {
    #expect(try facts(members).asksForSeveralRuns == expected)
  }

  @Test(
    "Agents work on a request that doesn't switch them off, and read each other",
    arguments: [
      (#""multi_agent":{"enabled":true}"#, true), (#""multi_agent":{}"#, true),
      (#""multi_agent":{"enabled":"yes","max_concurrent_subagents":2}"#, true),
      (#""multi_agent":{"enabled":false}"#, false), (#""multi_agent":null"#, false),
    ])
  func agents(members: String, expected: Bool) throws {
    let facts = try facts(members)
    #expect(facts.asksForAgents == expected && facts.input.isOpenEnded == expected)
  }

  @Test(
    "A member that two readers could read differently is refused",
    arguments: [
      #""multi_agent":{"enabled":false,"enabled":true}"#, #""multi_agent":{"Enabled":true}"#,
      #""reasoning":{"mode":"standard","mode":"pro"}"#,
      #""tools":[{"type":"image_generation","quality":"low","quality":"max"}]"#,
    ])
  func doubtful(members: String) {
    #expect(throws: MeteringError.self) { try facts(members) }
  }

  @Test("A context that the provider may shorten takes one more pass")
  func compaction() throws {
    let some = #""context_management":[{"type":"compaction","compact_threshold":1000}]"#
    #expect(try facts(some).compactions == 1)
    #expect(try facts(#""context_management":[]"#).compactions == 0)
    #expect(try facts(#""context_management":null"#).compactions == 0)
  }

  @Test(
    "A tool that the app runs and the provider describes has room for that description",
    arguments: [
      ("shell", #","environment":{"type":"local"}"#), ("local_shell", ""), ("apply_patch", ""),
      ("computer", ""),
    ])
  func described(type: String, more: String) throws {
    let plain = try facts(#""tools":[{"type":"function"\#(more)}]"#)
    let described = try facts(#""tools":[{"type":"\#(type)"\#(more)}]"#)
    #expect(described.boundInputTokens - plain.boundInputTokens > 900)
    #expect(!described.input.isOpenEnded)
  }

  @Test(
    "A drawing is bounded by its quality, the dearest where the model chooses",
    arguments: [
      ("", 100_801), (#","quality":"auto""#, 100_801), (#","quality":"max""#, 100_801),
      (#","quality":"low""#, 1_601), (#","quality":"low","size":"1024x1024""#, 401),
      (#","quality":"low","size":"32768x32768""#, 409_601),
      (#","quality":"low","size":"4000000000x4000000000""#, 409_601),
      (#","quality":"low","size":"9223372036854775807x9223372036854775807""#, 409_601),
      (#","quality":"low","size":"99999999999999999999x1""#, 409_601),
      (#","quality":"low","size":"abc""#, 409_601), (#","quality":"low","size":"auto""#, 1_601),
      (#","model":"gpt-image-2""#, 25_201), (#","model":"gpt-image-1""#, 9_451),
      (#"},{"type":"image_generation","quality":"low""#, 100_801),
    ])
  func drawings(members: String, tokens: Int64) throws {
    let facts = try facts(#""tools":[{"type":"image_generation"\#(members)}]"#)
    #expect(facts.imageToolTokens == tokens)
  }

  @Test("What the tool that draws read from the cache has its price, images apart from text")
  func cachedDrawing() throws {
    let body = #"""
      {"model":"m","output":[{"type":"image_generation_call"}],
       "usage":{"input_tokens":10,"output_tokens":2},
       "tool_usage":{"image_gen":{"input_tokens":100,
        "input_tokens_details":{"image_tokens":70,"text_tokens":30},"output_tokens":50,
        "output_tokens_details":{"image_tokens":50,"text_tokens":0},"total_tokens":150,
        "cached_tokens":60,
        "cached_tokens_details":{"cached_image_tokens":40,"cached_text_tokens":20}}}}
      """#
    let report = AnswerMeter.read(
      Array(body.utf8), to: try facts(#""tools":[{"type":"image_generation"}]"#),
      endpoint: Endpoints.responses, parser: JSONParser())
    #expect(report.breakdown.map(\.model) == ["m", "gpt-image-2.6-sunburst"])
    let drawing = try #require(report.breakdown.last?.usage)
    #expect((drawing.inputTokens, drawing.cachedInputTokens) == (100, 60))
    #expect((drawing.imageInputTokens, drawing.textInputTokens) == (30, 10))
    #expect(drawing.imageOutputTokens == 50 && !report.isUsageAdjusted)
    #expect(report.extraCalls.isEmpty)
  }
}
