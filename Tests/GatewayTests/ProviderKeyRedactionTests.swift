import HTTP
import Testing

@testable import Gateway

@Suite("A provider's error that shows its key")
struct ProviderKeyRedactionTests {
  private let redaction = ProviderKeyRedaction(
    keys: ["sk-proj-AbCdEf0123456789wxyz", "gsk_0123456789", "short"])

  private func redacted(_ text: String) -> String {
    String(decoding: redaction.redacted(Array(text.utf8)), as: UTF8.self)
  }

  @Test(
    "A key is taken out, whole, cut or masked",
    arguments: [
      "sk-proj-AbCdEf0123456789wxyz", "gsk_0123456789", "sk-proj-****************wxyz",
      "sk-proj-AbCd*****wxyz", "sk-...wxyz", "sk-proj-…wxyz", "sk-pro***********************xyz",
      "sk-proj-AbCdEf0123", "gsk_****6789",
    ])
  func keys(key: String) {
    #expect(redacted("Incorrect API key: \(key).") == "Incorrect API key: [provider key].")
    #expect(redacted(key) == "[provider key]")
    #expect(redacted("\(key)\"\(key)") == "[provider key]\"[provider key]")
  }

  @Test(
    "Anything else stays",
    arguments: [
      "", "sk-", "sk-proj-", "Keys begin with sk-... or gsk_...", "sk-proj-***", "sk-***zz",
      "sk-ctr-0123456789", "short", "gsk_x", "a sk b gsk",
    ])
  func others(text: String) {
    #expect(redacted(text) == text)
  }

  @Test("A field that shows a key is left out")
  func fields() throws {
    var sent = HeaderFields()
    try sent.append("x-request-id", "r")
    try sent.append("x-key", "gsk_0123456789")
    var expected = HeaderFields()
    try expected.append("x-request-id", "r")
    #expect(redaction.redacted(sent) == expected)
  }
}
