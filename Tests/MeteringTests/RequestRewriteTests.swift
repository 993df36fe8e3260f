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

  private func renamed(
    _ body: String, at endpoint: Endpoint, isShared: Bool = true
  ) throws -> String {
    let facts = try RequestFacts.read(Array(body.utf8), endpoint: endpoint, parser: parser)
    let rewrite = RequestRewrite(
      for: facts, endpoint: endpoint, dialect: .openAI, isSharedAccount: isShared)
    let result = try rewrite.applied(to: Array(body.utf8), endpoint: endpoint, parser: parser) {
      "acme:\($0)"
    }
    return String(decoding: result, as: UTF8.self)
  }

  @Test(
    "names of caches become the client's own, and all other bytes stay",
    arguments: [
      (#""prompt_cache_key": "k" , "x":1"#, #""prompt_cache_key": "acme:k" , "x":1"#),
      (#""prompt_cache\u005fkey":"\u006b\"\n""#, #""prompt_cache\u005fkey":"acme:k\"\n""#),
      (#""prompt_cache_key":"""#, #""prompt_cache_key":"""#),
      (#""prompt_cache_key":null"#, #""prompt_cache_key":null"#),
      (#""metadata":{"prompt_cache_key":"k"}"#, #""metadata":{"prompt_cache_key":"k"}"#),
    ])
  func cacheNames(_ members: String, _ expected: String) throws {
    for endpoint in [
      Endpoints.chatCompletions, Endpoints.responses, Endpoints.compaction, Endpoints.decisions,
    ] {
      let body = #"{"model":"m",\#(members)}"#
      #expect(try renamed(body, at: endpoint) == #"{"model":"m",\#(expected)}"#)
      #expect(try renamed(body, at: endpoint, isShared: false) == body)
    }
  }

  @Test("related work in the background is the client's own")
  func continuations() throws {
    let body = { (id: String) in
      #"{"model":"m","background":true,"prompt_cache_key":"\#(id)k","#
        + #""background_options":{"completion_window":"2h", "continuation_id":"\#(id)c"}}"#
    }
    #expect(try renamed(body(""), at: Endpoints.responses) == body("acme:"))
  }

  @Test(
    "a name of a cache that could be read in two ways is refused",
    arguments: [
      #""prompt_cache_key":7"#, #""prompt_cache_key":["k"]"#, #""Prompt_Cache_Key":"k""#,
      #""prompt_cache_key":"a","prompt_cache_key":"b""#,
      #""background_options":{"continuation_id":7}"#,
      #""background_options":{"Continuation_ID":"c"}"#,
    ])
  func doubtfulNames(_ members: String) {
    #expect(throws: MeteringError.self) {
      try renamed(#"{"model":"m",\#(members)}"#, at: Endpoints.responses)
    }
  }

  @Test("a name of a cache in a batch that could be another client's is refused")
  func namesInBatches() throws {
    func read(_ key: String, _ beginning: String?) throws {
      let body = #"{"model":"m","messages":[],"prompt_cache_key":"\#(key)"}"#
      let line = #"{"method":"POST","url":"/v1/chat/completions","body":\#(body)}"#
      _ = try BatchLine(
        Array(line.utf8), endpoint: Endpoints.chatCompletions, parser: parser,
        ownBeginning: beginning)
    }
    try read("acme:k", "acme:")
    try read("", "acme:")
    try read("k", "acme:")
    try read("acme", "acme:")
    try read("other:k", nil)
    for key in ["other:k", ":k", "ACME:k"] {
      #expect(throws: MeteringError.self) { try read(key, "acme:") }
    }
  }

  @Test("a name of related work in a batch that could be another client's is refused")
  func relatedWorkInBatches() throws {
    func read(_ name: String) throws {
      let options = #"{"continuation_id":"\#(name)"}"#
      let body = #"{"model":"m","input":"","background_options":\#(options)}"#
      let line = #"{"method":"POST","url":"/v1/responses","body":\#(body)}"#
      _ = try BatchLine(
        Array(line.utf8), endpoint: Endpoints.responses, parser: parser, ownBeginning: "acme:")
    }
    try read("acme:k")
    try read("k")
    for name in ["other:k", ":\(String(repeating: "0", count: 63))"] {
      #expect(throws: MeteringError.self) { try read(name) }
    }
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
