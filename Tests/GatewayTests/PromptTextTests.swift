import JSON
import Testing

@testable import Gateway

@Suite struct PromptTextTests {
  static let cases: [(body: String, text: String?)] = [
    (#"{"messages":[{"role":"user","content":"a"},{"content":[{"text":"b"}]}]}"#, "a\nb"),
    (#"{"instructions":"be brief","input":["c","d"],"user":"u1"}"#, "be brief\nc\nd"),
    (#"{"prompt":["one",[1,2,3]],"max_tokens":5}"#, "one"),
    (#"{"input":[{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]}"#, nil),
    (#"{"messages":[{"content":[{"input_audio":{"data":"AAAA","format":"wav"}}]}]}"#, nil),
    (
      #"{"messages":[{"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}]}"#, "{}"
    ),
    (#"{"input":"sk\u002dproj-0123456789"}"#, "[redacted]"),
    (#"{"model":"m"}"#, nil),
    ("--boundary", nil),
    ("", nil),
  ]

  @Test("A prompt is the words of a request, without keys", arguments: cases)
  func reads(_ body: String, _ text: String?) {
    #expect(PromptText(of: Array(body.utf8), parser: JSONParser())?.text == text)
  }

  @Test("A prompt is bounded, and no scalar is cut", arguments: [0, 1, 2, 3])
  func isBounded(_ padding: Int) throws {
    let long = String(repeating: "x", count: padding) + String(repeating: "😀", count: 5_000)
    let body = Array(#"{"input":["\#(long)","more"]}"#.utf8)
    let prompt = try #require(PromptText(of: body, parser: JSONParser()))
    #expect(prompt.isCut)
    #expect(long.hasPrefix(prompt.text))
    #expect((PromptText.longest - 3...PromptText.longest).contains(prompt.text.utf8.count))
  }

  @Test("A prompt of the largest size isn't cut")
  func fits() throws {
    let text = String(repeating: "x", count: PromptText.longest)
    let prompt = try #require(
      PromptText(of: Array(#"{"input":"\#(text)"}"#.utf8), parser: JSONParser()))
    #expect(prompt.text == text && !prompt.isCut)
  }
}
