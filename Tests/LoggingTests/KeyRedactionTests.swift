import Logging
import Testing

@Suite struct KeyRedactionTests {
  static let cases = [
    ("my key is sk-proj-AbCdEf0123456789, keep it", "my key is [redacted], keep it"),
    ("sk-ctr-0123456789012345678901234567890123456789012", "[redacted]"),
    ("'gsk_abcdefghijkl'", "'[redacted]'"),
    ("authorization: bearer abc.def/ghi+jkl==\nnext", "authorization: [redacted]\nnext"),
    ("AUTHORIZATION: BEARER SK-ABCDEFGHIJ", "AUTHORIZATION: [redacted]"),
    ("KEY=sk-ant-api03-abcdefgh", "KEY=[redacted]"),
    ("adm-ctr-abcdefghijkl sk-abcdefghijkl", "[redacted] [redacted]"),
    ("cut within sk-ab", "cut within [redacted]"),
    ("a task-oriented sk-8 model, and risk-free-investments", nil),
    ("the bearer of news", nil),
    ("", nil),
  ]

  @Test("Keys are taken out of a text, and nothing else", arguments: cases)
  func redacts(_ text: String, _ expected: String?) {
    let redacted = KeyRedaction.apply(to: Array(text.utf8))
    #expect(String(decoding: redacted, as: UTF8.self) == expected ?? text)
  }
}
