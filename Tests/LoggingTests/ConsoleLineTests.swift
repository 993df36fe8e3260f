import Testing

@testable import Logging

@Suite struct ConsoleLineTests {
  static let cases = [
    (#"{"ts":"T","level":"warn","event":"e","used":7}"#, "T warn e used=7"),
    (#"{"event":"e","yes":true,"none":null,"cost":0.5}"#, "e yes=true none=- cost=0.5"),
    (#"{"event":"e","list":["a","b c"],"object":{"n":1}}"#, #"e list=[a,"b c"] object={n=1}"#),
    (#"{"event":"e","empty":"","dash":"-"}"#, #"e empty="" dash="-""#),
    (#"{"event":"e","text":"a=b \"c\" \\"}"#, #"e text="a=b \"c\" \\""#),
    (#"{"event":"e","break":"one\nlevel=error"}"#, #"e break="one\nlevel=error""#),
    (#"{"event":"e","red":"\u001b[31mx\u009b\u202e"}"#, #"e red="\u{1b}[31mx\u{9b}\u{202e}""#),
    (#"{"event":"e","name":"São Paulo"}"#, #"e name="São Paulo""#),
  ]

  @Test("A line for people is one line, and steers no terminal", arguments: cases)
  func renders(_ json: String, _ expected: String) {
    #expect(String(decoding: ConsoleLine.render(Array(json.utf8)), as: UTF8.self) == expected)
  }
}
