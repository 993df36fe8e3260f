import JSON
import Objects
import Pricing
import Testing

@testable import Metering

@Suite("What the provider keeps of an answer is known before the answer is passed on")
struct ShownObjectsTests {
  private func facts(
    _ body: String, endpoint: Endpoint = Endpoints.responses
  ) throws -> RequestFacts {
    try RequestFacts.read(Array(body.utf8), endpoint: endpoint, parser: JSONParser())
  }

  private func names(_ objects: [MadeObject]) -> [String] {
    objects.map { "\($0.kind.rawValue) \($0.id)" }
  }

  @Test(
    "Responses are kept unless store is false, chats only if it is true",
    arguments: [
      ("/v1/responses", "", true), ("/v1/responses", #","store":null"#, true),
      ("/v1/responses", #","store":true"#, true), ("/v1/responses", #","store":false"#, false),
      ("/v1/responses", #","store":false,"background":true"#, true),
      ("/v1/responses", #","store":"false""#, true), ("/v1/responses/compact", "", true),
      ("/v1/chat/completions", "", false), ("/v1/chat/completions", #","store":null"#, false),
      ("/v1/chat/completions", #","store":false"#, false),
      ("/v1/chat/completions", #","store":true"#, true),
      ("/v1/chat/completions", #","store":1"#, true), ("/v1/embeddings", "", false),
    ])
  func store(path: String, member: String, isKept: Bool) throws {
    guard case .metered(let endpoint) = Endpoints.classify(method: "POST", path: path) else {
      Issue.record("\(path) isn't metered")
      return
    }
    let facts = try facts("{\"model\":\"m\"\(member)}", endpoint: endpoint)
    #expect(facts.keepsObjects == isKept)
  }

  private static let output =
    #"{"type":"code_interpreter_call","id":"ci_1","container_id":"cntr_1"}"#

  @Test(
    "A response shows itself, its items and its containers; one that isn't kept, its containers",
    arguments: [
      (#"{"model":"m"}"#, ["response resp_1", "item ci_1", "container cntr_1"]),
      (#"{"model":"m","store":false}"#, ["container cntr_1"]),
    ])
  func response(request: String, expected: [String]) throws {
    let report = AnswerMeter.read(
      Array("{\"id\":\"resp_1\",\"output\":[\(Self.output)]}".utf8), to: try facts(request),
      endpoint: Endpoints.responses, parser: JSONParser())
    #expect(names(report.madeObjects) == expected)
  }

  @Test("A stream gives each object once, with the event that first shows it")
  func stream() throws {
    var meter = StreamMeter(
      endpoint: Endpoints.responses, facts: try facts(#"{"model":"m","stream":true}"#),
      hidesUsage: false, parser: JSONParser())
    let delta = #"{"type":"response.output_text.delta","item_id":"msg_1","delta":"a"}"#
    let events: [(event: String, shown: [String])] = [
      (#"{"type":"response.created","response":{"id":"resp_1"}}"#, ["response resp_1"]),
      (#"{"type":"response.in_progress","response":{"id":"resp_1"}}"#, []),
      (#"{"type":"response.output_item.added","item":{"id":"msg_1"}}"#, ["item msg_1"]),
      (delta, []), (delta, []),
      (#"{"type":"response.output_item.done","item":{"id":"msg_1"}}"#, []),
      (
        "{\"type\":\"response.output_item.done\",\"item\":\(Self.output)}",
        ["item ci_1", "container cntr_1"]
      ),
      (
        #"{"type":"response.completed","response":{"id":"resp_1","output":[{"id":"msg_1"},"#
          + #"{"id":"msg_2"}],"usage":{"input_tokens":1,"total_tokens":1}}}"#, ["item msg_2"]
      ),
    ]
    var output: [UInt8] = []
    for (event, shown) in events {
      _ = meter.pass("data: \(event)\n\n".utf8, into: &output)
      #expect(names(meter.takeMadeObjects()) == shown, "\(event)")
    }
    #expect(
      names(meter.finish().report.madeObjects)
        == ["response resp_1", "item msg_1", "item ci_1", "container cntr_1", "item msg_2"])
  }

  @Test(
    "A chat shows itself if it is kept, and its sound in any case",
    arguments: [
      ("", []), (#","store":true"#, ["completion chatcmpl-1"]),
      (#","modalities":["text","audio"]"#, ["completion audio_1"]),
      (
        #","modalities":["audio"],"store":true"#,
        ["completion chatcmpl-1", "completion audio_1"]
      ),
    ])
  func chat(members: String, expected: [String]) throws {
    let facts = try facts("{\"model\":\"m\"\(members)}", endpoint: Endpoints.chatCompletions)
    let report = AnswerMeter.read(
      Array(#"{"id":"chatcmpl-1","choices":[{"message":{"audio":{"id":"audio_1"}}}]}"#.utf8),
      to: facts, endpoint: Endpoints.chatCompletions, parser: JSONParser())
    #expect(names(report.madeObjects) == expected)

    var meter = StreamMeter(
      endpoint: Endpoints.chatCompletions, facts: facts, hidesUsage: false, parser: JSONParser())
    var output: [UInt8] = []
    let chunk = #"{"id":"chatcmpl-1","choices":[{"delta":{"audio":{"id":"audio_1"}}}]}"#
    _ = meter.pass("data: \(chunk)\n\n".utf8, into: &output)
    #expect(names(meter.takeMadeObjects()) == expected)
    _ = meter.pass("data: \(chunk)\n\n".utf8, into: &output)
    #expect(meter.takeMadeObjects().isEmpty)
  }

  @Test("A batch shows itself and its files")
  func batch() {
    let report = AnswerMeter.read(
      Array(
        #"{"id":"batch_1","status":"completed","output_file_id":"file-1","error_file_id":null}"#
          .utf8),
      to: RequestFacts(operation: .batch, model: "m"), endpoint: Endpoints.batches,
      parser: JSONParser())
    #expect(names(report.madeObjects) == ["batch batch_1", "file file-1"])
  }
}
