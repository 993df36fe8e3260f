import JSON
import Testing

@testable import Metering

@Suite("How many tokens a text makes is learned from what is reported")
struct TokenRateTests {
  private func tokens(_ rate: TokenRate, of bytes: Int64) -> Int64 { rate.tokens(ofBytes: bytes) }

  @Test(
    "A model begins with what is usual in its family",
    arguments: [("gpt-4o", 250), ("claude-sonnet-5", 286), ("gemini-3-pro", 250), ("other", 334)]
      as [(String, Int64)])
  func family(_ model: String, _ expected: Int64) {
    #expect(tokens(TokenRates(model: model).input, of: 1_000) == expected)
    #expect(tokens(TokenRates(model: model).output, of: 1_000) == expected)
  }

  @Test("A text has a token at least, and none has none")
  func smallest() {
    var rate = TokenRate(.openAI)
    rate.learn(tokens: 1, ofBytes: 1_000_000)
    #expect(tokens(rate, of: 1) == 1)
    #expect(tokens(rate, of: 0) == 0)
  }

  @Test("Reports outweigh the family soon, and the later ones the earlier")
  func learns() {
    var rate = TokenRate(.openAI)
    for _ in 0..<50 { rate.learn(tokens: 1_000, ofBytes: 2_000) }
    #expect((490...500).contains(tokens(rate, of: 1_000)))
    for _ in 0..<5_000 { rate.learn(tokens: 200, ofBytes: 2_000) }
    #expect((100...102).contains(tokens(rate, of: 1_000)))
  }

  @Test(
    "An absurd report is bounded, and overflows nothing",
    arguments: [(Int64.max, 1), (.max, .max), (1, .max)] as [(Int64, Int64)])
  func absurd(_ reported: Int64, _ bytes: Int64) {
    var rate = TokenRate(.openAI)
    for _ in 0..<100 { rate.learn(tokens: reported, ofBytes: bytes) }
    #expect((1...64_000).contains(tokens(rate, of: 1_000)))
    #expect(tokens(rate, of: .max) > 0)
  }

  @Test("Reports of nothing, and of more than text, teach nothing")
  func nothing() throws {
    var rates = TokenRates(model: "gpt-4o")
    rates.learn(
      from: MeasuredTexts(inputBytes: 0, inputTokens: 9_000, outputBytes: 50, outputTokens: 0))
    #expect(rates == TokenRates(model: "gpt-4o"))
  }

  @Test(
    "What a provider reports of a chat is measured by its text",
    arguments: [
      (#"[{"role":"user","content":"abcd"}]"#, 20),
      (#"[{"role":"user","content":[{"type":"text","text":"abcd"}]}]"#, 20),
      (#"[{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]}]"#, 0),
      (#"[{"role":"user","content":[{"type":"file","file":{"file_id":"f"}}]}]"#, 0),
    ] as [(String, Int64)])
  func measures(_ messages: String, _ inputBytes: Int64) throws {
    let parser = JSONParser()
    let endpoint = Endpoints.chatCompletions
    let facts = try RequestFacts.read(
      Array(#"{"model":"gpt-4o","messages":\#(messages)}"#.utf8), endpoint: endpoint,
      parser: parser)
    let answer = #"""
      {"model":"gpt-4o","choices":[{"message":{"content":"olá"}}],"usage":{"prompt_tokens":9,
      "completion_tokens":7,"completion_tokens_details":{"reasoning_tokens":3,"audio_tokens":2}}}
      """#
    let report = AnswerMeter.read(Array(answer.utf8), to: facts, endpoint: endpoint, parser: parser)
    #expect(
      MeasuredTexts(of: facts, report)
        == MeasuredTexts(inputBytes: inputBytes, inputTokens: 9, outputBytes: 4, outputTokens: 5))
    let silent = AnswerMeter.read(Array("{}".utf8), to: facts, endpoint: endpoint, parser: parser)
    #expect(MeasuredTexts(of: facts, silent) == nil)
  }
}
