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
