import Configuration
import Testing

@Suite struct SecretTests {
  private func isShown(_ secret: String, in text: String) -> Bool {
    Secret(secret).isShown(in: Array(text.utf8).span)
  }

  @Test(
    "A secret is found whole, or by its first 12 bytes, wherever it stands",
    arguments: [
      "sk-proj-AbCdEf0123456789", "gsk_0123456789abcdef", "aaaaaaaaaaaaaaaaaaaa", "--------",
      "AAAAAAAA", "kkkkkkkkZkkkk",
    ])
  func found(secret: String) {
    let beginning = String(secret.prefix(12))
    for text in [
      secret, beginning, "\(secret)x", "x\(beginning)", "\(beginning.dropLast())\(secret)",
      "{\"key\":\"\(secret)\"}", String(repeating: "AZk-a", count: 99) + beginning,
    ] {
      #expect(isShown(secret, in: text), "\(text)")
    }
    for text in ["", String(beginning.dropLast()), "\(beginning.dropLast())é", "AZ-k"] {
      #expect(!isShown(secret, in: text), "\(text)")
    }
  }

  @Test("A secret is found however a text writes it")
  func spellings() {
    let key = "sk-proj-AbCdEf0123456789"
    for text in Spelling.all(of: key) {
      for (before, after) in [("", ""), ("{\"a\":\"\\n50%\\u00e9 ", "\"}")] {
        let bytes = Array(before.utf8) + text + Array(after.utf8)
        let isShown = Secret(key).isShown(in: bytes.span)
        #expect(isShown, "\(bytes)")
      }
    }
    for text in ["sk\\u002dpro", "%73k%2Dproj", "c2stcHJv", "\\u0073\\u0073\\u0073\\u0073"] {
      #expect(!isShown(key, in: text), "\(text)")
    }
  }

  @Test("The end of a piece that may go on as the secret does is known")
  func unfinished() {
    let key = "sk-proj-AbCdEf0123456789"
    for spelling in Spelling.all(of: key) where spelling.first != 0 {
      for length in 1..<spelling.count - 8 {
        let piece = Array("<p>".utf8) + spelling.prefix(length)
        let start = Secret(key).unfinished(in: piece.span)
        #expect(start <= 3, "\(piece)")
      }
    }
    let text = Array("shor".utf8)
    for secret in [key, "short"] {
      let end = Secret(secret).unfinished(in: text.span)
      #expect(end == 4)
    }
  }

  @Test("A text that could be a word is found nowhere")
  func short() {
    #expect(!isShown("short", in: "short"))
    #expect(!isShown("", in: ""))
  }

  @Test("A secret shows itself as dots")
  func dots() {
    #expect("\(Secret("sk-proj-AbCdEf0123456789"))" == "••••")
    #expect(Secret("a") == Secret("a") && Secret("a") != Secret("b"))
  }
}
