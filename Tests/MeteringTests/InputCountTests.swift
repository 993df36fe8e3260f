import JSON
import Metering
import Testing

@Suite struct InputCountTests {
  private let parser = JSONParser()

  private func count(_ body: String, _ dialect: ProviderDialect = .openAI) throws -> InputCount? {
    let body = Array(body.utf8)
    guard
      case .metered(let endpoint) = Endpoints.classify(
        method: "POST", path: "/v1/chat/completions")
    else { return nil }
    let facts = try RequestFacts.read(body, endpoint: endpoint, parser: parser)
    return InputCount(of: body, for: facts, dialect: dialect, parser: parser)
  }

  @Test("Plain messages are counted as they are")
  func plain() throws {
    let messages = #"[{"role":"system","content":"é"}, {"role":"user","content":"b"}]"#
    let count = try #require(
      try count(#"{"messages":\#(messages),"model":"gpt-4o-mini","max_tokens":5}"#))
    #expect(count.path == "/v1/responses/input_tokens")
    #expect(
      String(decoding: count.body, as: UTF8.self)
        == #"{"model":"gpt-4o-mini","input":\#(messages)}"#)
  }

  @Test(
    "What the two APIs write differently is not counted",
    arguments: [
      #"{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"a"}]}]}"#,
      #"{"model":"m","messages":[{"role":"tool","content":"a"}]}"#,
      #"{"model":"m","messages":[{"role":"user","content":"a","name":"n"}]}"#,
      #"{"model":"m","messages":[{"role":"user","content":"a"}],"tools":[]}"#,
      #"{"model":"m","messages":[]}"#,
    ])
  func others(body: String) throws {
    #expect(try count(body) == nil)
  }

  @Test("A provider without a count is not asked")
  func withoutCount() throws {
    let body = #"{"model":"m","messages":[{"role":"user","content":"a"}]}"#
    #expect(try count(body, .groq) == nil)
    #expect(try count(body, .compatible) == nil)
    #expect(try count(body, .openAI) != nil)
  }

  @Test(
    "Only a whole number is a count",
    arguments: [
      (#"{"object":"response.input_tokens","input_tokens":11}"#, 11),
      (#"{"input_tokens":0}"#, 0), (#"{"input_tokens":-1}"#, nil),
      (#"{"input_tokens":1.5}"#, nil), (#"{"input_tokens":"11"}"#, nil), ("{}", nil), ("", nil),
    ] as [(String, Int64?)])
  func answers(text: String, expected: Int64?) {
    #expect(InputCount.read(Array(text.utf8), parser: parser) == expected)
  }
}
