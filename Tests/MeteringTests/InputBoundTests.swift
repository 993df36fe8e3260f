import Foundation
import JSON
import Pricing
import Testing

@testable import Metering

@Suite("The input of a request is bounded")
struct InputBoundTests {
  private func facts(_ members: String, model: String = "gpt-5-mini") throws -> RequestFacts {
    let body = #"{"model":"\#(model)",\#(members)}"#
    return try RequestFacts.read(
      Array(body.utf8), endpoint: Endpoints.chatCompletions, parser: JSONParser())
  }

  /// The size of the messages of a request.
  private func size(_ messages: String) throws -> InputSize {
    try facts("\"messages\":\(messages)").input
  }

  @Test(
    "all text that reaches the model counts by its bytes, once unescaped",
    arguments: [
      (#"[{"role":"user","content":"abc"}]"#, 3),
      (#"[{"role":"user","content":"\u00e9日"}]"#, 5),
      (
        #"[{"role":"system","content":"ab"},{"content":[{"type":"text","text":"cd"}]}]"#,
        4
      ),
      (#"[{"role":"tool","tool_call_id":"id1","content":"r"}]"#, 4),
      (#"[{"role":"user","name":"ana","content":"hi"}]"#, 5),
      (#"[{"role":"assistant","content":null,"refusal":"no","reasoning":"why"}]"#, 5),
      (#"[{"role":"assistant","content":[{"type":"refusal","refusal":"no"}]}]"#, 2),
    ])
  func text(_ messages: String, _ bytes: Int64) throws {
    #expect(try size(messages).textBytes == bytes)
  }

  @Test("tool calls, tools, schemas and unknown members count with their keys and numbers")
  func schemas() throws {
    let call =
      #"[{"role":"assistant","tool_calls":[{"id":"c","function":{"arguments":"{\"a\":1}"}}]}]"#
    #expect(try size(call).textBytes == Int64("idcfunctionarguments{\"a\":1}".utf8.count))
    let tools = try facts(#""tools":[{"type":"function","function":{"name":"f","x":10}}]"#).input
    #expect(tools.textBytes == Int64("typefunctionfunctionnamefx".utf8.count))
    #expect(tools.numbers == 1)
    #expect(try facts(#""response_format":{"a":"bc"}"#).input.textBytes == 3)
    #expect(
      try facts(#""invented_tomorrow":"text"}"#.replacing("}", with: "")).input.textBytes == 4)
    #expect(try facts(#""metadata":{"a":"long text"},"stop":"x""#).input.textBytes == 0)
  }

  @Test("an image counts by its detail, not by its bytes")
  func images() throws {
    let data = "data:image/png;base64," + String(repeating: "A", count: 100_000)
    let part = { (detail: String) in
      #"[{"content":[{"type":"image_url","image_url":{"url":"\#(data)"\#(detail)}}]}]"#
    }
    for detail in ["", #","detail":"high""#, #","detail":1"#] {
      let input = try size(part(detail))
      #expect(input.images == 1)
      #expect(input.textBytes == 0)
    }
    let low = try facts("\"messages\":\(part(#","detail":"low""#))", model: "gpt-4o-mini")
    #expect(low.hasImages)
    #expect(low.boundImageTokens == 3_000)
    #expect(low.boundInputTokens < 4_000)
    #expect(try facts("\"messages\":\(part(""))", model: "unheard-of").boundImageTokens == 50_000)
  }

  @Test("a sound in a message counts by its bytes, whatever format the request states")
  func audio() throws {
    func input(_ data: String, _ format: String = "wav") throws -> RequestFacts {
      let sound = #"{"data":"\#(data)","format":"\#(format)"}"#
      return try facts(
        #""messages":[{"content":[{"type":"input_audio","input_audio":\#(sound)}]}]"#)
    }
    // 10 seconds, of which the header states 1.
    let wave = Data(Sound.wave(seconds: 10, byteRate: 80_000)).base64EncodedString()
    for format in ["wav", "mp3"] {
      let sound = try input(wave, format)
      #expect(sound.hasAudioInput)
      #expect(sound.input.audioMilliseconds == 11_000)
      #expect(sound.boundAudioTokens == 220)
      #expect(sound.input.textBytes == 0)
    }
    let unknown = String(repeating: "A", count: 400)
    #expect(try input(unknown).input.audioMilliseconds == 206_000)
    // Readers differ over what stands behind padding.
    #expect(try input("AA==" + unknown).input.audioMilliseconds == 404 * 683)
  }

  @Test(
    "what a request only refers to makes it open-ended",
    arguments: [
      #""messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"f"}}]}]"#,
      #""messages":[{"role":"user","content":[{"type":"video_url","video_url":{"url":"u"}}]}]"#,
      #""messages":[{"role":"assistant","audio":{"id":"a"}}]"#,
      #""web_search_options":{}"#,
      #""tools":[{"type":"browser_search"}]"#,
    ])
  func openEnded(_ members: String) throws {
    #expect(try facts(members).input.isOpenEnded)
  }

  @Test("ordinary requests aren't open-ended, compound and search models always are")
  func closed() throws {
    let members = #""messages":[{"role":"user","content":"x"}],"tools":[{"type":"function"}]"#
    #expect(try !facts(members).input.isOpenEnded)
    #expect(try facts(members, model: "groq/compound").input.isOpenEnded)
    #expect(try facts(members, model: "gpt-4o-mini-search-preview").maySearchWeb)
  }

  @Test("the bound is the sum of its parts")
  func sum() throws {
    let facts = try facts(
      #""messages":[{"content":"abcd"}],"tools":[{"n":1}],"prediction":{"content":"xyz"}"#
    )
    let nodes: Int64 = 4  // The array, the object, its key and its number.
    #expect(facts.boundInputTokens == 4 + 1 + nodes * 4 + 24 + 100 + 8 + 16)
    #expect(facts.boundPredictionTokens == Int64("contentxyz".utf8.count))
  }

  @Test(
    "estimates go by the model's family",
    arguments: [
      ("gpt-4o", 29, 25), ("openai/gpt-oss-20b", 29, 25), ("o3-mini", 29, 25),
      ("claude-sonnet-5", 34, 29), ("gemini-3-pro", 29, 25),
      ("llama-3.3-70b-versatile", 29, 25), ("moonshotai/kimi-k2", 39, 34),
    ] as [(String, Int64, Int64)])
  func estimates(_ model: String, _ input: Int64, _ output: Int64) throws {
    let rates = TokenRates(model: model)
    let text = String(repeating: "x", count: 100)
    let facts = try facts(#""messages":[{"role":"user","content":"\#(text)"}]"#, model: model)
    // A message counts as 16 bytes more.
    #expect(facts.estimatedInputTokens(by: rates) == input)
    let usage = Estimate.usage(for: facts, outputTextBytes: 100, by: rates)
    #expect(usage.inputTokens == input)
    #expect(usage.outputTokens == output)
    #expect(facts.boundInputTokens >= input)
  }

  @Test("an estimate is never nothing for what was sent or received")
  func smallest() throws {
    let facts = try facts(#""messages":[]"#)
    let rates = TokenRates(model: "gpt-4o")
    let usage = Estimate.usage(for: facts, outputTextBytes: 1, by: rates)
    #expect(usage.inputTokens == 1)
    #expect(usage.outputTokens == 1)
    #expect(Estimate.usage(for: facts, outputTextBytes: 0, by: rates).outputTokens == 0)
  }
}
