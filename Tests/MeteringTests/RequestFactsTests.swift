import JSON
import Pricing
import Testing

@testable import Metering

@Suite("What metering needs is read from a request")
struct RequestFactsTests {
  private func read(_ body: String) throws(MeteringError) -> RequestFacts {
    try RequestFacts.read(
      Array(body.utf8), endpoint: Endpoints.chatCompletions, parser: JSONParser())
  }

  /// A request with these members besides its model.
  private func facts(_ members: String) throws -> RequestFacts {
    try read(#"{"model":"gpt-5-mini",\#(members)}"#)
  }

  @Test(
    "A retention of twelve hours counts wherever it stands, also where it is hidden",
    arguments: [
      (#""messages":[]"#, false),
      (#""messages":[],"prompt_cache_options":{"ttl":"30m"}"#, false),
      (#""messages":[],"prompt_cache_options":{"ttl":"12h"}"#, true),
      (
        #""messages":[{"role":"user","content":[{"type":"text","text":"a","#
          + #""prompt_cache_breakpoint":{"ttl":"12h"}}]}]"#, true
      ),
      (#""messages":[],"prompt_cache_options":{"ttl":"\u00312h"}"#, true),
      (#""messages":[{"role":"user","content":"12\u00e9, 1h"}]"#, true),
      (#""messages":[{"role":"user","content":"\u20ac 2h"}]"#, false),
    ])
  func retention(_ members: String, _ mayBeLong: Bool) throws {
    #expect(try facts(members).mayCacheLong == mayBeLong)
  }

  @Test("every fact is found")
  func allFacts() throws {
    let facts = try facts(
      """
      "stream":true,"stream_options":{"include_obfuscation":false,"include_usage":true},
      "max_tokens":7,"max_completion_tokens":9,"n":3,"service_tier":"flex","user":"ana",
      "safety_identifier":"bob","metadata":{"conversation_id":"c-1","x":"y"},
      "modalities":["text","audio"],"reasoning_effort":"high","web_search_options":{},
      "tools":[{"type":"function","function":{"name":"f"}}],"messages":[]
      """)
    #expect(facts.operation == .chat)
    #expect(facts.model == "gpt-5-mini")
    #expect(facts.stream)
    #expect(facts.asksForUsage)
    #expect(facts.outputLimit == 9)
    #expect(facts.choices == 3)
    #expect(facts.serviceTier == "flex")
    #expect(facts.user == "ana")
    #expect(facts.conversation == "c-1")
    #expect(facts.reasoningEffort == "high")
    #expect(facts.asksForAudio)
    #expect(facts.maySearchWeb)
    #expect(facts.toolCount == 1)
  }

  @Test(
    "of two limits the larger one is held",
    arguments: [
      (#""max_tokens":7,"max_completion_tokens":9"#, 9),
      (#""max_completion_tokens":1,"max_tokens":10000"#, 10_000),
      (#""max_tokens":10000,"max_completion_tokens":1"#, 10_000),
      (#""max_tokens":null,"max_completion_tokens":3"#, 3), (#""max_tokens":5"#, 5),
    ])
  func outputLimits(members: String, expected: Int64) throws {
    #expect(try facts(members).outputLimit == expected)
  }

  @Test(
    "a member of a member that could be taken for one that matters is refused",
    arguments: [
      #""stream_options":{"Include_usage":true}"#, #""tools":[{"Type":"web_search"}]"#,
      #""tools":[{"type":"function","TYPE":"web_search"}]"#,
      #""tools":[{"type":"image_generation","Model":"m"}]"#,
    ])
  func nestedSpelling(members: String) {
    #expect(throws: MeteringError.self) { try facts(members) }
  }

  @Test("a member that is null is as good as missing")
  func nulls() throws {
    let facts = try facts(
      """
      "stream":null,"stream_options":null,"max_tokens":7,"max_completion_tokens":null,"n":null,
      "service_tier":null,"user":null,"safety_identifier":"bob","metadata":null,"tools":null,
      "modalities":null,"reasoning_effort":null,"web_search_options":null,"messages":null
      """)
    #expect(!facts.stream)
    #expect(facts.outputLimit == 7)
    #expect(facts.choices == 1)
    #expect(facts.user == "bob")
    #expect(!facts.maySearchWeb)
    #expect(facts.input == InputSize())
  }

  static let refused: [(String, MeteringError)] = [
    ("", .notJSON(.empty)), ("{", .notJSON(.malformed)), ("\u{FEFF}{}", .notJSON(.byteOrderMark)),
    (#"{"model":"m","user":"\ud800"}"#, .notJSON(.malformed)),
    (#"{"model":"m","user":"\udc00"}"#, .notJSON(.malformed)),
    ("[]", .notAnObject), ("1", .notAnObject),
    (#"{"model":"a","model":"b"}"#, .repeatedMember("model")),
    (#"{"model":"a","mod\u0065l":"b"}"#, .repeatedMember("model")),
    (#"{"model":"a","x":1,"x":1}"#, .repeatedMember("x")),
    (
      #"{"model":"a","messages":[{"role":"user","content":"","content":[]}]}"#,
      .repeatedMember("content")
    ),
    (
      #"{"model":"a","messages":[{"content":[{"type":"text","type":"file"}]}]}"#,
      .repeatedMember("type")
    ),
    (#"{"model":"a","tools":[{"type":"function","type":"web_search"}]}"#, .repeatedMember("type")),
    (#"{"model":"a","metadata":{"a":1,"a":2}}"#, .repeatedMember("a")),
    (#"{"model":"a","Model":"b"}"#, .invalid(param: "Model", expected: "spelled 'model'")),
    (
      #"{"model":"a","model\u0000b":"b"}"#,
      .invalid(param: "model\0b", expected: "spelled 'model'")
    ),
    (
      #"{"model":"a","\u017Ftream":true}"#,
      .invalid(param: "\u{17F}tream", expected: "spelled 'stream'")
    ),
    ("{}", .missing(param: "model")), (#"{"model":null}"#, .missing(param: "model")),
    (#"{"model":""}"#, .missing(param: "model")),
  ]

  @Test("a key twice inside a response's conversation is refused")
  func repeatedConversation() {
    let body = #"{"model":"a","input":"x","conversation":{"id":"c1","id":"c2"}}"#
    #expect(throws: MeteringError.repeatedMember("id")) {
      try RequestFacts.read(
        Array(body.utf8), endpoint: Endpoints.responses, parser: JSONParser())
    }
  }

  @Test("a body that can't be read as the provider reads it is refused", arguments: refused)
  func refusals(_ body: String, _ error: MeteringError) {
    #expect(throws: error) { try read(body) }
    #expect(error.code == "invalid_json")
    #expect(!error.message.isEmpty)
  }

  @Test(
    "a member of the wrong type or out of its range is refused by name",
    arguments: [
      ("model", "5"), ("model", "[\"gpt\"]"), ("stream", "\"true\""), ("stream", "1"),
      ("stream_options", "true"), ("stream_options", "[]"),
      ("stream_options", #"{"include_usage":true,"include_usage":false}"#),
      ("max_tokens", "0"), ("max_tokens", "-5"), ("max_tokens", "10.0"), ("max_tokens", "1e3"),
      ("max_tokens", "\"10\""), ("max_tokens", "9007199254740993"),
      ("max_completion_tokens", "18446744073709551615"), ("n", "0"), ("n", "129"), ("n", "1.5"),
      ("n", "true"), ("service_tier", "1"), ("service_tier", "\"batch\""),
      ("service_tier", "\"decisions\""), ("user", "{}"), ("safety_identifier", "1"),
      ("metadata", "\"x\""), ("reasoning_effort", "1"),
    ])
  func wrongTypes(_ member: String, _ value: String) {
    let model = member == "model" ? "" : #""model":"m","#
    do {
      _ = try read("{\(model)\"\(member)\":\(value)}")
      Issue.record("\(member): \(value) was taken")
    } catch {
      #expect(error.param == member)
      #expect(error.message.hasPrefix("'\(member)' must be"))
    }
  }

  @Test("the members of options are named in full")
  func nestedParams() {
    #expect(
      throws: MeteringError.invalid(
        param: "stream_options.include_usage", expected: "true, false or null")
    ) { try facts(#""stream_options":{"include_usage":1}"#) }
  }

  @Test("the largest limits are taken")
  func largest() throws {
    #expect(try facts(#""max_tokens":9007199254740992,"n":128"#).outputLimit == 1 << 53)
  }
}
