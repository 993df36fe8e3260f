import JSON
import Pricing
import Testing

@testable import Metering

@Suite("Events of a realtime session")
struct RealtimeTests {
  private func client(_ text: String) throws -> RealtimeClientEvent {
    try RealtimeClientEvent.read(Array(text.utf8), parser: JSONParser())
  }

  private func server(_ text: String) throws -> RealtimeServerEvent {
    let parser = JSONParser()
    return RealtimeServerEvent.read(try parser.parse(Array(text.utf8)))
  }

  @Test("A client's event is told by its type, wherever that stands")
  func kinds() throws {
    #expect(try client(#"{"type":"response.create"}"#).kind == .createResponse)
    let audio = try client(#"{"audio":"AAAAAAAA","type":"input_audio_buffer.append"}"#)
    #expect((audio.kind, audio.audioCharacters) == (.appendAudio, 8))
    #expect(try client(#"{"type":"conversation.item.create","item":{}}"#).kind == .other)
    // An escape in a key or a value doesn't hide it.
    #expect(try client(#"{"\u0074ype":"response\u002ecreate"}"#).kind == .createResponse)
  }

  @Test(
    "A session's settings are found in both versions of the API",
    arguments: [
      #"{"max_output_tokens":7,"audio":{"input":{"transcription":{"model":"w"}}}}"#,
      #"{"max_response_output_tokens":7,"input_audio_transcription":{"model":"w"}}"#,
    ])
  func settings(_ text: String) throws {
    let event = try client(#"{"type":"session.update","session":\#(text)}"#)
    #expect(event.outputLimit == .tokens(7))
    #expect(event.transcription == .by(model: "w"))
  }

  @Test("Of two limits of a session's output the larger one is held")
  func twoLimits() throws {
    for members in [
      #""max_output_tokens":7,"max_response_output_tokens":90"#,
      #""max_response_output_tokens":90,"max_output_tokens":7"#,
    ] {
      let event = try client(#"{"type":"session.update","session":{\#(members)}}"#)
      #expect(event.outputLimit == .tokens(90))
    }
    let endless = #"{"max_output_tokens":"inf","max_response_output_tokens":9}"#
    let event = try client(#"{"type":"session.update","session":\#(endless)}"#)
    #expect(event.outputLimit == .model)
  }

  @Test(
    "What provider and meter could read differently is refused",
    arguments: [
      "", "[]", "{}", #"{"type":"a","type":"response.create"}"#, #"{"type":1}"#,
      #"{"type":"session.update"}"#, #"{"type":"session.update","session":[]}"#,
      #"{"type":"session.update","session":{"model":"a","model":"b"}}"#,
      #"{"type":"session.update","session":{"audio":{"input":{},"input":{}}}}"#,
      #"{"type":"session.update","session":{"tools":[{"type":"function","type":"mcp"}]}}"#,
      #"{"type":"x","item":{"content":[{"type":"input_image","type":"input_text"}]}}"#,
      #"{"type":"response.create","response":{"max_output_tokens":0}}"#,
      #"{"type":"response.create","response":{"max_output_tokens":1.5}}"#,
      #"{"type":"x","Type":"response.create"}"#, #"{"type":"response.create","Response":{}}"#,
      #"{"type":"session.update","session":{"Model":"a"}}"#,
      #"{"type":"session.update","session":{"MODEL":"a","model":"b"}}"#,
      #"{"type":"session.update","session":{"Max_output_tokens":9}}"#,
      #"{"type":"session.update","session":{"audio":{"Input":{}}}}"#,
      #"{"type":"session.update","session":{"audio":{"input":{"Transcription":{}}}}}"#,
      #"{"type":"session.update","session":{"input_audio_transcription":{"Model":"w"}}}"#,
      #"{"type":"session.update","session":{"tools":[{"Type":"mcp"}]}}"#,
      #"{"type":"session.update","session":{"audio":{"input":{"transcription":{}}}}}"#,
    ])
  func refused(_ text: String) {
    #expect(throws: MeteringError.self) { try client(text) }
  }

  @Test(
    "What a session only refers to has no bound of its own",
    arguments: [
      (#"{"type":"session.update","session":{"prompt":{"id":"p"}}}"#, true),
      (#"{"type":"session.update","session":{"tools":[{"type":"mcp"}]}}"#, true),
      (#"{"type":"session.update","session":{"tools":[{"type":"function"}]}}"#, false),
      (#"{"type":"session.update","session":{"prompt":null}}"#, false),
    ])
  func openEnded(_ text: String, _ isOpenEnded: Bool) throws {
    #expect(try client(text).isOpenEnded == isOpenEnded)
  }

  @Test("The usage of a response is split by kind, what is cached of its sound included")
  func usage() throws {
    let text = """
      {"type":"response.done","response":{"id":"r","status":"cancelled","conversation_id":null,
      "usage":{"total_tokens":290,"input_tokens":270,"output_tokens":20,"input_token_details":
      {"text_tokens":150,"audio_tokens":120,"cached_tokens":128,"cached_tokens_details":
      {"text_tokens":100,"audio_tokens":28}},"output_token_details":{"text_tokens":4,
      "audio_tokens":16}}}}
      """
    #expect(try server(text) == .responseDone(id: "r", isOutOfBand: true))
    var meter = RealtimeMeter()
    let parser = JSONParser()
    meter.read(try parser.parse(Array(text.utf8)))
    let usage = try #require(meter.report.usage)
    #expect(
      usage
        == Usage(
          inputTokens: 270, cachedInputTokens: 128, audioInputTokens: 92, outputTokens: 20,
          audioOutputTokens: 16, cachedAudioTokens: 28))
    #expect(usage.textInputTokens == 50)
    #expect(usage.totalAudioInputTokens == 120)
    #expect(!meter.report.isError)
  }

  @Test(
    "Cached images have the price of the cache",
    arguments: [
      ([0, 0, 1000], [0, 0, 800], [200, 0, 0]), ([500, 0, 500], [0, 0, 400], [100, 0, 500]),
      ([300, 600, 100], [50, 150, 50], [50, 450, 250]),
      ([500, 500, 0], [400, 400, 0], [0, 100, 100]),
    ])
  func cachedImages(_ all: [Int64], _ cached: [Int64], _ expected: [Int64]) throws {
    let text = """
      {"type":"response.done","response":{"id":"r","usage":{"total_tokens":1000,
      "input_tokens":1000,"output_tokens":0,"input_token_details":{"text_tokens":\(all[0]),
      "audio_tokens":\(all[1]),"image_tokens":\(all[2]),
      "cached_tokens":\(cached.reduce(0, +)),"cached_tokens_details":{
      "text_tokens":\(cached[0]),"audio_tokens":\(cached[1]),"image_tokens":\(cached[2])}}}}}
      """
    var meter = RealtimeMeter()
    meter.read(try JSONParser().parse(Array(text.utf8)))
    let usage = try #require(meter.report.usage)
    #expect(usage.cachedInputTokens == cached.reduce(0, +))
    #expect(
      [usage.imageInputTokens, usage.audioInputTokens, usage.textInputTokens] == expected)
    #expect(!meter.report.isUsageAdjusted)
  }

  @Test(
    "A usage that can't be read makes the response unreadable",
    arguments: [#"{"input_tokens":-1}"#, #"{"input_tokens":9223372036854775807}"#, "7"])
  func unreadableUsage(_ usage: String) throws {
    var meter = RealtimeMeter()
    let parser = JSONParser()
    let text = #"{"type":"response.done","response":{"id":"r","usage":\#(usage)}}"#
    meter.read(try parser.parse(Array(text.utf8)))
    #expect(meter.report.usage == nil && meter.report.isUnreadable)
  }

  @Test("An event with two types is ambiguous")
  func twoTypes() throws {
    #expect(try server(#"{"type":"other","\u0074ype":"response.done"}"#) == .ambiguous)
  }

  @Test("A response that failed before it wrote anything has used nothing")
  func failed() throws {
    let parser = JSONParser()
    let failure = """
      {"type":"response.done","response":{"id":"r","status":"failed","usage":null,
      "status_details":{"type":"failed","error":{"type":"server_error","code":null}}}}
      """
    var meter = RealtimeMeter()
    meter.read(try parser.parse(Array(failure.utf8)))
    #expect(meter.report.usage == .zero)
    #expect(meter.report.isError)
    var other = RealtimeMeter()
    let delta = #"{"type":"response.output_audio_transcript.delta","delta":"Hello"}"#
    for text in [delta, failure] { other.read(try parser.parse(Array(text.utf8))) }
    #expect(other.report.usage == nil)
  }

  @Test("A response that is cut is estimated by the deltas that came")
  func deltas() throws {
    var meter = RealtimeMeter()
    let parser = JSONParser()
    for text in [
      #"{"type":"response.output_audio.delta","delta":"\#(String(repeating: "A", count: 6400))"}"#,
      #"{"type":"response.output_audio_transcript.delta","delta":"Hello"}"#,
    ] {
      meter.read(try parser.parse(Array(text.utf8)))
    }
    #expect((meter.report.outputAudioTokens, meter.report.outputTextBytes) == (2, 5))
  }

  @Test("What is transcribed is charged in tokens or seconds")
  func transcribed() throws {
    let type = "conversation.item.input_audio_transcription.completed"
    let usages: [(String, Usage?)] = [
      (
        #"{"input_tokens":14,"input_token_details":{"audio_tokens":14},"output_tokens":3}"#,
        Usage(inputTokens: 14, audioInputTokens: 14, outputTokens: 3)
      ),
      (#"{"type":"duration","seconds":2.5}"#, Usage(audioMilliseconds: 2500)),
    ]
    for (text, usage) in usages {
      guard case .transcribed(let report) = try server(#"{"type":"\#(type)","usage":\#(text)}"#)
      else {
        Issue.record("not a transcription: \(text)")
        continue
      }
      #expect(report.usage == usage)
    }
  }

  // MARK: The bound of what comes next

  private func event(textBytes: Int64 = 0, audioCharacters: Int64 = 0) -> RealtimeClientEvent {
    var event = RealtimeClientEvent()
    event.kind = audioCharacters > 0 ? .appendAudio : .other
    event.textBytes = textBytes
    event.audioCharacters = audioCharacters
    return event
  }

  @Test("A context is as large as the last response says, and what was sent since it began")
  func context() {
    var context = RealtimeContext(model: "gpt-realtime", contextTokens: 32_000)
    func bound() -> (all: Int64, audio: Int64) {
      let facts = context.responseFacts(outputLimit: nil, headroom: 0)
      return (facts.boundInputTokens - RequestFacts.tokensPerRequest, facts.boundAudioTokens)
    }
    context.note(event(textBytes: 300))
    context.note(event(audioCharacters: 64_000))
    #expect(bound() == (364, 64))
    context.responseBegan()
    context.note(event(textBytes: 50))
    context.responseEnded(
      Usage(inputTokens: 100, audioInputTokens: 40, outputTokens: 30, audioOutputTokens: 20))
    #expect(bound() == (180, 60))
  }

  @Test("No context is larger than the model's")
  func largestContext() {
    var context = RealtimeContext(model: "gpt-realtime", contextTokens: 32_000)
    context.note(event(textBytes: 1_000_000))
    context.note(event(audioCharacters: 1_000_000))
    let facts = context.responseFacts(outputLimit: 7)
    #expect(facts.boundInputTokens == 32_000 + RequestFacts.tokensPerRequest)
    #expect(facts.boundAudioTokens == 1_000 + RealtimeContext.headroomTokens)
    #expect(facts.outputLimit == 7)
  }

  @Test("A response with an input of its own says nothing of the conversation")
  func outOfBand() {
    var context = RealtimeContext(model: "gpt-realtime", contextTokens: nil)
    context.note(event(textBytes: 300))
    context.responseBegan()
    context.responseEnded(nil)
    #expect(context.responseFacts(outputLimit: nil, headroom: 0).input.textBytes == 300)
  }

  @Test("Sound is bounded by the slowest of its formats until it is written down")
  func transcription() {
    var context = RealtimeContext(model: "gpt-realtime", contextTokens: nil)
    context.note(event(audioCharacters: 10_000))
    context.audioCommitted()
    context.note(event(audioCharacters: 5_000))
    let facts = context.transcriptionFacts(model: "whisper-1", headroom: 0)
    #expect(facts.audioMilliseconds == 1_500)
    context.transcriptionEnded()
    #expect(context.transcriptionFacts(model: "whisper-1", headroom: 0).audioMilliseconds == 500)
  }
}
