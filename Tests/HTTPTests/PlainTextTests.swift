import Testing

@testable import HTTP

@Suite("Names of users and conversations")
struct PlainTextTests {
  @Test(
    "A name of up to 256 bytes without control characters is plain",
    arguments: [
      "u", "+55 11 99999-0000", "João 🐢", "a/b:c", String(repeating: "x", count: 256),
      String(repeating: "é", count: 128),
    ])
  func plain(text: String) {
    #expect(PlainText.isValid(text))
  }

  @Test(
    "Anything longer, empty or with a control character isn't",
    arguments: [
      "", String(repeating: "x", count: 257), String(repeating: "é", count: 129), "a\u{0}b",
      "a\nb", "a\tb", "\u{1B}[31m", "a\u{7F}", "a\u{85}b", "\u{9F}",
    ])
  func notPlain(text: String) {
    #expect(!PlainText.isValid(text))
  }
}
