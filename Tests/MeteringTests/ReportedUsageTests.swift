import JSON
import Pricing
import Testing

@testable import Metering

@Suite("Usage is taken over in one normal form")
struct ReportedUsageTests {
  private func report(_ answer: String) -> UsageReport {
    AnswerMeter.read(
      Array(answer.utf8), to: RequestFacts(operation: .chat, model: "m"),
      endpoint: Endpoints.chatCompletions, parser: JSONParser())
  }

  @Test(
    "an object without a usable count is absent, not zero",
    arguments: [
      "null", "{}", "[]", "5", #"{"total_tokens":5}"#, #"{"prompt_tokens":null}"#,
      #"{"prompt_tokens":1.5}"#, #"{"prompt_tokens":-1}"#, #"{"prompt_tokens":"7"}"#,
      #"{"prompt_tokens":9007199254740993}"#, #"{"dram_cached_tokens":32}"#,
    ])
  func unusable(_ usage: String) {
    #expect(report("{\"usage\":\(usage)}").usage == nil)
    #expect(report("{\"x_groq\":{\"usage\":\(usage)}}").usage == nil)
  }

  @Test("zeros are a report")
  func zeros() {
    #expect(report(#"{"usage":{"prompt_tokens":0,"completion_tokens":0}}"#).usage == .zero)
  }

  @Test("what a model thinks is output, also where only the total has it")
  func thoughts() {
    // As Google's compatible endpoint answers.
    let answer = #"{"usage":{"completion_tokens":1,"prompt_tokens":9,"total_tokens":103}}"#
    let thinking = Usage(inputTokens: 9, outputTokens: 94, reasoningTokens: 93)
    #expect(report(answer).completed(by: .google).usage == thinking)
    #expect(report(answer).completed(by: .google).completed(by: .google).usage == thinking)
    let usage = Usage(inputTokens: 9, outputTokens: 1)
    #expect(report(answer).completed(by: .openAI).usage == usage)
    let short = #"{"usage":{"completion_tokens":1,"prompt_tokens":9,"total_tokens":3}}"#
    #expect(report(short).completed(by: .google).usage == usage)
    #expect(report("{}").completed(by: .google).usage == nil)
  }

  @Test("either family of names is read, and null details are none")
  func names() {
    let usage = Usage(inputTokens: 9, cachedInputTokens: 4, outputTokens: 5, reasoningTokens: 2)
    #expect(
      report(
        """
        {"usage":{"input_tokens":9,"output_tokens":5,
          "input_tokens_details":{"cached_tokens":4},
          "output_tokens_details":{"reasoning_tokens":2,"audio_tokens":null}}}
        """
      ).usage == usage)
    #expect(
      report(
        """
        {"usage":{"prompt_tokens":9,"completion_tokens":5,"prompt_tokens_details":null,
          "input_token_details":{"cached_tokens":4,"text_tokens":9},
          "completion_tokens_details":{"reasoning_tokens":2}}}
        """
      ).usage == usage)
  }

  @Test("tokens that were written to the cache are told apart by retention")
  func cacheWrites() {
    let report = report(
      """
      {"usage":{"prompt_tokens":100,"completion_tokens":1,
        "prompt_tokens_details":{"cache_write_tokens":60,
          "cache_write_tokens_details":{"ttl_30m_tokens":40,"ttl_12h_tokens":20}}}}
      """
    )
    #expect(
      report.usage
        == Usage(
          inputTokens: 100, cacheWriteTokens: 40, cacheWriteLongTokens: 20, outputTokens: 1))
    #expect(!report.isUsageAdjusted)
  }

  @Test("without an output count, the total tells it")
  func missingOutput() {
    #expect(
      report(#"{"usage":{"prompt_tokens":8,"total_tokens":20}}"#).usage
        == Usage(inputTokens: 8, outputTokens: 12))
    #expect(report(#"{"usage":{"prompt_tokens":8}}"#).usage == Usage(inputTokens: 8))
  }

  @Test("parts above their total are brought into line at no lower charge, and marked")
  func contradictions() {
    let overlap = report(
      """
      {"usage":{"prompt_tokens":100,"completion_tokens":9,
        "prompt_tokens_details":{"cached_tokens":64,"audio_tokens":80}}}
      """
    )
    #expect(
      overlap.usage
        == Usage(
          inputTokens: 100, cachedInputTokens: 20, audioInputTokens: 80, outputTokens: 9))
    #expect(overlap.isUsageAdjusted)

    let tooMuch = report(
      """
      {"usage":{"prompt_tokens":10,"completion_tokens":9,
        "prompt_tokens_details":{"cached_tokens":5,"image_tokens":30},
        "completion_tokens_details":{"reasoning_tokens":50}}}
      """
    )
    #expect(
      tooMuch.usage
        == Usage(inputTokens: 30, imageInputTokens: 30, outputTokens: 9, reasoningTokens: 9))
    #expect(tooMuch.isUsageAdjusted)

    let negative = report(
      """
      {"usage":{"prompt_tokens":10,"completion_tokens":9,
        "prompt_tokens_details":{"cached_tokens":-5}}}
      """
    )
    #expect(negative.usage == Usage(inputTokens: 10, outputTokens: 9))
    #expect(negative.isUsageAdjusted)
  }

  @Test(
    "an error is told from none",
    arguments: [
      (#"{"error":{"message":"x"}}"#, true), (#"{"error":"text"}"#, true),
      (#"{"x_groq":{"error":"over capacity"}}"#, true), (#"{"error":null}"#, false),
      (#"{"error":""}"#, false), (#"{"error":false}"#, false), ("{}", false),
    ])
  func errors(_ answer: String, _ isError: Bool) {
    #expect(report(answer).isError == isError)
  }

  @Test("an answer that isn't a JSON object is marked", arguments: ["", "[]", "{\"a\":", "hello"])
  func unreadable(_ answer: String) {
    #expect(report(answer).isUnreadable)
    #expect(report(answer).usage == nil)
  }

  @Test(
    "a breakdown that can't be read leaves the sum in force",
    arguments: [
      "null", #"{"models":null}"#, #"{"models":[]}"#, #"{"models":[{"model":"m"}]}"#,
      #"{"models":[{"model":"m","usage":{"prompt_tokens":1}},{"model":"n","usage":{}}]}"#,
    ])
  func brokenBreakdown(_ breakdown: String) {
    let report = report(
      #"{"usage":{"prompt_tokens":7,"completion_tokens":1},"usage_breakdown":\#(breakdown)}"#)
    #expect(report.breakdown.isEmpty)
    #expect(report.usage?.inputTokens == 7)
  }
}
