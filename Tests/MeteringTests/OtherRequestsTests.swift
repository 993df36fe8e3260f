import JSON
import Pricing
import Testing

@testable import Metering

@Suite("Requests of every endpoint are read for what bounds them")
struct OtherRequestsTests {
  private func facts(_ endpoint: Endpoint, _ body: String) throws -> RequestFacts {
    try RequestFacts.read(
      Array(#"{"model":"m",\#(body)}"#.utf8), endpoint: endpoint, parser: JSONParser())
  }

  @Test(
    "a completion is made for each prompt, and each candidate is billed",
    arguments: [
      (#""prompt":"abc""#, 1, 16), (#""prompt":["a","b"],"n":2"#, 4, 16),
      (#""prompt":["a","b"],"best_of":3,"n":2,"max_tokens":4"#, 6, 4),
      (#""prompt":[1,2,3]"#, 1, 16), (#""prompt":[[1,2],[3]]"#, 2, 16),
      (#""prompt":[],"max_tokens":0,"echo":true"#, 1, 0), (#""n":2"#, 2, 16),
    ] as [(String, Int64, Int64)])
  func completion(_ body: String, _ choices: Int64, _ limit: Int64) throws {
    let facts = try facts(Endpoints.completions, body)
    #expect(facts.choices == choices)
    #expect(facts.outputLimit == limit)
    #expect(!Endpoints.completions.takesOutputLimit)
  }

  @Test(
    "texts count by their bytes, ids by their number",
    arguments: [
      (#""input":"Olá""#, 4, 0, 1), (#""input":["ab","c"]"#, 3, 0, 2),
      (#""input":[1,2,3]"#, 0, 3, 1), (#""input":[[1,2],[3]]"#, 0, 3, 2),
    ] as [(String, Int64, Int64, Int64)])
  func texts(_ body: String, _ bytes: Int64, _ tokens: Int64, _ texts: Int64) throws {
    let facts = try facts(Endpoints.embeddings, body)
    #expect(facts.input.textBytes == bytes)
    #expect(facts.input.tokens == tokens)
    #expect(facts.input.messages == texts)
    #expect(facts.outputLimit == 0)
    #expect(facts.boundInputTokens >= bytes + tokens)
  }

  @Test(
    "an object is named once",
    arguments: [
      (#""conversation":{"id":"a","id":"b"}"#, "id"),
      (#""conversation":{"id":"a","\u0069d":"b"}"#, "id"),
      (#""conversation":{"ID":"a","id":"b"}"#, "ID"),
      (#""prompt":{"id":"a","version":"1","version":"2"}"#, "version"),
    ])
  func objectNamedTwice(_ member: String, _ param: String) {
    let error = #expect(throws: MeteringError.self) {
      try facts(Endpoints.responses, #""input":"",\#(member)"#)
    }
    #expect(error?.param == param)
  }

  @Test("moderation is free, and needs no model")
  func moderation() throws {
    let facts = try RequestFacts.read(
      Array(#"{"input":"hello"}"#.utf8), endpoint: Endpoints.moderations, parser: JSONParser())
    #expect(facts.model == "omni-moderation-latest")
    #expect(facts.boundInputTokens == 0)
    #expect(facts.outputLimit == 0)
  }

  @Test(
    "items that a response continues are bounded by what they are",
    arguments: [
      (#""input":"Hi""#, 2, false), (#""input":[{"role":"user","content":"Hi"}]"#, 2, false),
      (#""input":[{"role":"user","content":[{"type":"input_text","text":"Hi"}]}]"#, 2, false),
      (#""input":[{"type":"function_call_output","call_id":"c","output":"Hi"}]"#, 23, false),
      (#""input":[{"type":"item_reference","id":"x"}]"#, 21, true),
      (#""input":[{"type":"computer_call_output","output":{}}]"#, 30, true),
      (#""input":"","previous_response_id":"r""#, 0, true),
      (#""input":"","conversation":{"id":"r"}"#, 0, true),
      (#""input":"","prompt":{"id":"r"}"#, 0, true),
      (#""input":"","previous_response_id":null"#, 0, false),
      (#""input":"","tools":[{"type":"function","name":"f"}]"#, 17, false),
      (#""input":"","tools":[{"type":"mcp"}]"#, 7, true),
    ] as [(String, Int64, Bool)])
  func items(_ body: String, _ bytes: Int64, _ isOpenEnded: Bool) throws {
    let facts = try facts(Endpoints.responses, body)
    #expect(facts.input.textBytes == bytes)
    #expect(facts.input.isOpenEnded == isOpenEnded)
  }

  @Test(
    "an item that could be taken for two is refused",
    arguments: [
      #"{"type":"message","type":"item_reference","id":"x"}"#,
      #"{"type":"function_call_output","output":"a","output":"b"}"#,
      #"{"role":"user","content":[{"type":"input_text","type":"input_file","file_id":"x"}]}"#,
    ])
  func twoFacedItems(_ item: String) {
    #expect(throws: MeteringError.self) { try facts(Endpoints.responses, #""input":[\#(item)]"#) }
  }

  @Test("images of a response count as such, by address, by id and in results")
  func images() throws {
    let part = #"{"type":"input_image","image_url":"data:image/png;base64,AAAA"}"#
    let file = #"{"type":"input_image","file_id":"file-1"}"#
    let facts = try facts(
      Endpoints.responses,
      #""input":[{"role":"user","content":[\#(part),\#(file)]},"#
        + #"{"type":"function_call_output","call_id":"c","output":[\#(part)]}]"#)
    #expect(facts.input.images == 3)
    #expect(!facts.input.isOpenEnded)
  }

  @Test(
    "tools of the provider bound calls and passes",
    arguments: [
      (#""tools":[{"type":"web_search"}]"#, 1, 1, ["web_search"]),
      (#""tools":[{"type":"web_search_preview"}],"max_tool_calls":3"#, 3, 4, ["web_search"]),
      (
        #""tools":[{"type":"file_search"},{"type":"code_interpreter"}]"#, 2, 1,
        ["file_search", "container 1g"]
      ),
      (#""tools":[{"type":"function","name":"f"}],"max_tool_calls":3"#, 0, 1, []),
    ] as [(String, Int64, Int64, [String])])
  func tools(
    _ body: String, _ calls: Int64, _ passes: Int64, _ surcharges: [String]
  ) throws {
    let facts = try facts(Endpoints.responses, #""input":"x",\#(body)"#)
    #expect(facts.calls == calls)
    #expect(facts.passes == passes)
    #expect(facts.callSurcharges == surcharges)
  }

  @Test(
    "tools that items declare count as those of the request",
    arguments: [
      (#"{"type":"additional_tools","role":"developer","tools":[{"type":"web_search"}]}"#, nil),
      (#"{"type":"tool_search_output","tools":[{"type":"web_search"}]}"#, nil),
      (
        #"{"type":"additional_tools","tools":[{"type":"web_search"},"#
          + #"{"type":"image_generation","model":"gpt-image-1"}]}"#, "gpt-image-1"
      ),
    ] as [(String, String?)])
  func toolsOfItems(_ item: String, _ drawingModel: String?) throws {
    let body = #""input":[\#(item),{"role":"user","content":"x"}]"#
    let open = try facts(Endpoints.responses, body)
    #expect(open.lacksCallLimit && open.maySearchWeb)
    #expect(open.callSurcharges.contains("web_search"))
    #expect(open.imageToolModel == drawingModel)
    let limited = try facts(Endpoints.responses, body + #","max_tool_calls":2"#)
    #expect(limited.calls == 2 && limited.passes == 3 && !limited.lacksCallLimit)
  }

  @Test(
    "tools in another form than an array of objects are refused",
    arguments: [#"{"type":"web_search"}"#, #""web_search""#, "[5]", #"["web_search"]"#])
  func oddTools(_ tools: String) {
    for body in [#""input":"x","tools":\#(tools)"#, #""input":[{"tools":\#(tools)}]"#] {
      #expect(throws: MeteringError.self) { try facts(Endpoints.responses, body) }
    }
  }

  @Test(
    "a request whose calls of tools are limited by nobody says so",
    arguments: [
      (#""tools":[{"type":"web_search"}]"#, true),
      (#""tools":[{"type":"mcp"}],"max_tool_calls":null"#, true),
      (#""tools":[{"type":"shell","environment":{"type":"container_auto"}}]"#, true),
      (#""tools":[{"type":"web_search"}],"max_tool_calls":3"#, false),
      (#""tools":[{"type":"function","name":"f"},{"type":"apply_patch"}]"#, false),
      (#""tools":[{"type":"shell","environment":{"type":"local"}}]"#, false),
    ])
  func openCalls(_ body: String, _ expected: Bool) throws {
    let facts = try facts(Endpoints.responses, #""input":"x",\#(body)"#)
    #expect(facts.lacksCallLimit == expected)
    let limited = facts.limitingCalls(to: 3)
    #expect(limited.calls == 3 && limited.passes == 4 && !limited.lacksCallLimit)
  }

  @Test("a chat with tools of its provider may call ten, since it can't set a limit")
  func hostedToolsOfChats() throws {
    let facts = try facts(
      Endpoints.chatCompletions, #""messages":[],"tools":[{"type":"browser_search"}]"#)
    #expect(!facts.lacksCallLimit)
    #expect(facts.calls == 10 && facts.passes == 11)
  }

  @Test("a compound model may be asked to use other models")
  func compoundModels() throws {
    let models = #"{"models":{"reasoning_model":"a","answering_model":"b","x":null}}"#
    let facts = try facts(
      Endpoints.chatCompletions, #""messages":[],"compound_custom":\#(models)"#)
    #expect(facts.otherModels.names == ["a", "b"])
  }

  @Test("tools that draw by several models are refused: an answer doesn't tell them apart")
  func severalDrawings() throws {
    let tool = { (model: String) in #"{"type":"image_generation","model":"\#(model)"}"# }
    let same = #""tools":[\#(tool("gpt-image-1")),\#(tool("gpt-image-1"))]"#
    #expect(try facts(Endpoints.responses, same).imageToolModel == "gpt-image-1")
    let others = #""tools":[\#(tool("gpt-image-1")),{"type":"image_generation"}]"#
    #expect(throws: MeteringError.self) { try facts(Endpoints.responses, others) }
  }

  @Test("a tool that draws has a model of its own")
  func drawing() throws {
    let named = #""tools":[{"type":"image_generation","model":"gpt-image-1"}]"#
    #expect(try facts(Endpoints.responses, named).imageToolModel == "gpt-image-1")
    let unnamed = #""tools":[{"type":"image_generation"}]"#
    #expect(try facts(Endpoints.responses, unnamed).imageToolModel == OpenAI.imageModel)
  }

  @Test("a namespace hides no tool, however deep it is")
  func namespaces() throws {
    let drawing = #"{"type":"image_generation_2026","model":"gpt-image-1"}"#
    let inner = #"{"type":"namespace","name":"b","tools":[{"type":"custom"},\#(drawing)]}"#
    let outer = #"{"type":"namespace","name":"a","tools":[{"type":"function"},\#(inner)]}"#
    let item = #""input":[{"type":"additional_tools","tools":[\#(outer)]}]"#
    for member in [#""tools":[\#(outer)]"#, item] {
      let facts = try facts(Endpoints.responses, member)
      #expect(facts.imageToolModel == "gpt-image-1")
      #expect(facts.toolCount == 5)
      #expect(facts.lacksCallLimit)
    }
    let own = #""tools":[{"type":"namespace","name":"a","tools":[{"type":"function"}]}]"#
    #expect(try !facts(Endpoints.responses, own).lacksCallLimit)
  }

  @Test(
    "a tool's type that another reader could take for another one is refused",
    arguments: [
      #"{"type":"IMAGE_GENERATION"}"#, #"{"type":"Image_generation"}"#,
      #"{"type":"image_generation\u0000"}"#, #"{"type":" image_generation"}"#,
      #"{"type":"ımage_generation"}"#, #"{"type":"image generation"}"#, #"{"type":["shell"]}"#,
      #"{"Type":"image_generation"}"#, #"{"type":"namespace","Tools":[]}"#,
      #"{"type":"namespace","tools":{}}"#, #"{"type":"namespace","tools":[{"type":"SHELL"}]}"#,
    ])
  func doubtfulTools(_ tool: String) {
    #expect(throws: MeteringError.self) { try facts(Endpoints.responses, #""tools":[\#(tool)]"#) }
    #expect(throws: MeteringError.self) {
      try facts(Endpoints.chatCompletions, #""messages":[],"tools":[\#(tool)]"#)
    }
  }

  @Test(
    "a chat that may answer in anything but text may be spoken",
    arguments: [
      (#"["text"]"#, false), ("[]", false), ("null", false), (#"["text","audio"]"#, true),
      (#"["Audio"]"#, true), (#""audio""#, true),
    ])
  func modalities(_ value: String, _ isSpoken: Bool) throws {
    let facts = try facts(Endpoints.chatCompletions, #""messages":[],"modalities":\#(value)"#)
    #expect(facts.asksForAudio == isSpoken)
  }

  @Test("a compound model may call ten tools, the mini one")
  func compound() throws {
    let parser = JSONParser()
    func facts(_ model: String) throws -> RequestFacts {
      try RequestFacts.read(
        Array(#"{"model":"\#(model)","messages":[]}"#.utf8), endpoint: Endpoints.chatCompletions,
        parser: parser)
    }
    #expect(try facts("groq/compound").calls == 10)
    #expect(try facts("groq/compound").passes == 11)
    #expect(try facts("groq/compound-mini").calls == 1)
    #expect(try facts("llama-3.1-8b-instant").calls == 0)
  }

  @Test(
    "a chat that may search is charged one search, unless its answer counts them",
    arguments: [
      (#""web_search_options":{}"#, 1), (#""tools":[{"type":"browser_search"}]"#, 0),
      (#""stream":false"#, 0),
    ] as [(String, Int64)])
  func uncountedSearch(_ member: String, _ calls: Int64) throws {
    let facts = try facts(Endpoints.chatCompletions, #""messages":[],\#(member)"#)
    let report = AnswerMeter.read(
      Array(#"{"choices":[],"usage":{"prompt_tokens":1,"total_tokens":1}}"#.utf8), to: facts,
      endpoint: Endpoints.chatCompletions, parser: JSONParser())
    #expect(report.extraCalls.reduce(0) { $0 + $1.count } == calls)
  }

  @Test(
    "a response in the background says within which time it is to be complete",
    arguments: [
      (#""background":true,"background_options":{"completion_window":"2h"}"#, "2h"),
      (#""background_options":{"x":"y","completion_window":"8h"},"background":true"#, "8h"),
      (#""background":true,"background_options":{"completion_window":"soonest"}"#, nil),
      (#""background":true,"background_options":{"completion_window":null}"#, nil),
      (#""background":true,"background_options":{}"#, nil),
      (#""background":true,"background_options":null"#, nil),
      (#""background_options":{"completion_window":"2h"}"#, nil),
      (#""background":false,"background_options":{"completion_window":"2h"}"#, nil),
    ] as [(String, String?)])
  func completionWindow(_ body: String, _ window: String?) throws {
    #expect(try facts(Endpoints.responses, body).completionWindow == window)
  }

  @Test(
    "options of the background that could be read in two ways are refused",
    arguments: [
      #""background_options":"2h""#, #""background_options":{"completion_window":2}"#,
      #""background_options":{"completion_window":"2h","completion_window":"soonest"}"#,
      #""background_options":{"Completion_Window":"2h"}"#,
    ])
  func doubtfulOptions(_ body: String) {
    #expect(throws: MeteringError.self) { try facts(Endpoints.responses, body) }
  }

  @Test("a response that is made in the background is bounded like any other")
  func background() throws {
    var foreground = try facts(Endpoints.responses, #""input":"x","background":false"#)
    #expect(!foreground.isBackground)
    foreground.isBackground = true
    #expect(try facts(Endpoints.responses, #""input":"x","background":true"#) == foreground)
    #expect(throws: MeteringError.invalid(param: "background", expected: "true, false or null")) {
      try facts(Endpoints.responses, #""background":1"#)
    }
  }

  @Test("a response's output limit is its own member")
  func outputLimit() throws {
    let facts = try facts(Endpoints.responses, #""input":"x""#)
    let rewrite = RequestRewrite(
      for: facts, endpoint: Endpoints.responses, dialect: .openAI, outputLimit: 300)
    #expect(!rewrite.addsUsage)
    let body = try rewrite.applied(
      to: Array(#"{"input":"x"}"#.utf8), endpoint: Endpoints.responses, parser: JSONParser())
    #expect(String(decoding: body, as: UTF8.self) == #"{"max_output_tokens":300,"input":"x"}"#)
  }
}
