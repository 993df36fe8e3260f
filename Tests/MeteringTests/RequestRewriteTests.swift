import JSON
import Testing

@testable import Metering

@Suite("A request is changed by exactly what is needed")
struct RequestRewriteTests {
  let parser = JSONParser()
  let endpoint = Endpoints.chatCompletions

  private func rewrite(_ body: String, limit: Int64? = nil, provider: String = "openai") throws
    -> String
  {
    let facts = try RequestFacts.read(Array(body.utf8), endpoint: endpoint, parser: parser)
    let rewrite = RequestRewrite(
      for: facts, endpoint: endpoint, dialect: ProviderDialect(provider: provider),
      outputLimit: limit)
    let result = try rewrite.applied(to: Array(body.utf8), endpoint: endpoint, parser: parser)
    return String(decoding: result, as: UTF8.self)
  }

  @Test(
    "a limit of calls is set, and all other bytes stay",
    arguments: [
      (#"{"model":"m","stream":true}"#, #"{"max_tool_calls":3,"model":"m","stream":true}"#),
      (#"{"model":"m","max_tool_calls": null}"#, #"{"model":"m","max_tool_calls": 3}"#),
    ])
  func callLimit(_ body: String, _ expected: String) throws {
    let facts = try RequestFacts.read(
      Array(body.utf8), endpoint: Endpoints.responses, parser: parser)
    let rewrite = RequestRewrite(
      for: facts, endpoint: Endpoints.responses, dialect: .openAI, callLimit: 3)
    let result = try rewrite.applied(
      to: Array(body.utf8), endpoint: Endpoints.responses, parser: parser)
    #expect(String(decoding: result, as: UTF8.self) == expected)
  }

  @Test(
    "usage is asked for, and all other bytes stay",
    arguments: [
      (
        #"{"model":"m","stream":true}"#,
        #"{"stream_options":{"include_usage":true},"model":"m","stream":true}"#
      ),
      (
        #" { "model" : "m" , "stream":true,"x":"{\"}" }"#,
        #" {"stream_options":{"include_usage":true}, "model" : "m" , "stream":true,"x":"{\"}" }"#
      ),
      (
        #"{"model":"m","stream":true,"stream_options": null }"#,
        #"{"model":"m","stream":true,"stream_options": {"include_usage":true} }"#
      ),
      (
        #"{"model":"m","stream":true,"stream_options":{}}"#,
        #"{"model":"m","stream":true,"stream_options":{"include_usage":true}}"#
      ),
      (
        #"{"model":"m","stream_options":{ "other":false},"stream":true}"#,
        #"{"model":"m","stream_options":{"include_usage":true, "other":false},"stream":true}"#
      ),
      (
        #"{"model":"m","stream_options":{"a":[{"b":"]"}],"include_usage": false},"stream":true}"#,
        #"{"model":"m","stream_options":{"a":[{"b":"]"}],"include_usage": true},"stream":true}"#
      ),
      (
        #"{"model":"m","stream":true,"stream_opti\u006fns":{"include_usage":null}}"#,
        #"{"model":"m","stream":true,"stream_opti\u006fns":{"include_usage":true}}"#
      ),
    ])
  func addsUsage(_ body: String, _ expected: String) throws {
    #expect(try rewrite(body) == expected)
  }

  @Test(
    "a request that needs nothing stays as it is",
    arguments: [
      #"{"model":"m","stream":true,"stream_options":{"include_usage":true}}"#,
      #"{"model":"m","stream":false}"#, #"{"model":"m"}"#,
    ])
  func unchanged(_ body: String) throws {
    #expect(try rewrite(body) == body)
  }

  @Test("Groq reports usage unasked, so its requests stay as they are")
  func groq() throws {
    let body = #"{"model":"m","stream":true}"#
    #expect(try rewrite(body, provider: "groq") == body)
    #expect(try rewrite(body, provider: "another") != body)
  }

  @Test("an output limit is set, where it is null too, together with usage")
  func outputLimit() throws {
    #expect(
      try rewrite(#"{"model":"m"}"#, limit: 300) == #"{"max_completion_tokens":300,"model":"m"}"#)
    #expect(
      try rewrite(#"{"model":"m","max_completion_tokens": null}"#, limit: 256)
        == #"{"model":"m","max_completion_tokens": 256}"#)
    #expect(
      try rewrite(#"{"model":"m","stream":true}"#, limit: 1)
        == #"{"stream_options":{"include_usage":true},"max_completion_tokens":1,"#
        + #""model":"m","stream":true}"#
    )
  }
}
