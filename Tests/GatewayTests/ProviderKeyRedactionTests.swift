import Configuration
import HTTP
import TLS
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

  @Test("A key is taken out however the text writes it")
  func escaped() {
    let key = "gsk_0123456789"
    let json = key.utf8.map { "\\u00" + String($0, radix: 16) }.joined()
    let url = key.utf8.map { "%" + String($0, radix: 16, uppercase: true) }.joined()
    for text in [json, url, "gsk\\u005F0123456789", "gsk%5f0123456789"] {
      #expect(redacted("key=\(text)&") == "key=[provider key]&")
    }
    for (before, shown) in [("", "[provider key]"), ("a", "YWdz[provider key]")] {
      let text = Base64URL.encode(Array("\(before)\(key)".utf8))
      #expect(redacted("Basic \(text).") == "Basic \(shown).", "\(text)")
    }
    let wide: [UInt8] = Array(key.utf8).flatMap { byte in [byte, UInt8(0)] }
    for body in [wide, [0] + wide] {
      let shown = redaction.redacted(body)
      #expect(String(decoding: shown, as: UTF8.self).filter { $0 != "\0" } == "[provider key]")
    }
    #expect(redacted("50%gs \\u00g1 %6") == "50%gs \\u00g1 %6")
  }

  @Test("A field that shows a key doesn't pass, in its name, its value or encoded")
  func codedFields() throws {
    let key = "gsk_0123456789"
    var fields = HeaderFields()
    for name in ["x-gsk_0123456789", "X-GSK_0123456789-y"] {
      try fields.append(try #require(FieldName(name)), "v")
    }
    for before in ["", "a", "ab", "abc"] {
      try fields.append("x-coded", Base64URL.encode(Array("\(before)\(key)z".utf8)))
    }
    try fields.append("x-url", "gsk%5F0123456789")
    try fields.append("x-other", "gsk_")
    var other = HeaderFields()
    try other.append("x-other", "gsk_")
    #expect(redaction.redacted(fields) == other)
  }

  @Test("A key is taken out of pieces, wherever they are cut")
  func pieces() throws {
    let base = try #require(BaseURL("https://h/v1"))
    for key in ["sk-proj-AbCdEf0123456789wxyz", "sk-sk-sk-abcdef"] {
      let provider = Provider(name: "p", baseURL: base, apiKey: Secret(key))
      let text = "<p>sk-p sk-proj \(key)</p>\(key)\(key)sk-pro"
      let expected = "<p>sk-p sk-proj [provider key]</p>[provider key][provider key]sk-pro"
      let bytes = Array(text.utf8)
      for size in 1...bytes.count {
        var filter = KeyFilter(of: provider)
        var passed: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
          var piece = Array(bytes[start..<min(bytes.count, start + size)])
          filter.filter(&piece)
          passed += piece
        }
        passed += filter.takeRest()
        #expect(String(decoding: passed, as: UTF8.self) == expected, "\(size)")
      }
    }
  }

  @Test("A key with escapes is taken out of pieces, wherever they are cut")
  func escapedPieces() throws {
    let base = try #require(BaseURL("https://h/v1"))
    let key = "sk-proj-AbCdEf0123456789wxyz"
    let provider = Provider(name: "p", baseURL: base, apiKey: Secret(key))
    let json = key.utf8.map { "\\u00" + String($0, radix: 16) }.joined()
    let url = key.utf8.map { "%" + String($0, radix: 16) }.joined()
    for text in [json, url, "sk\\u002dproj%2dAbCdEf0123456789wxyz"] {
      let bytes = Array("<p>50% \\n \(text)</p>".utf8)
      for size in 1...bytes.count {
        var filter = KeyFilter(of: provider)
        var passed: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
          var piece = Array(bytes[start..<min(bytes.count, start + size)])
          filter.filter(&piece)
          passed += piece
        }
        passed += filter.takeRest()
        let shown = String(decoding: passed, as: UTF8.self)
        #expect(!shown.contains(text.suffix(20)), "\(size): \(shown)")
        #expect(shown.hasPrefix("<p>50% \\n [provider key]") && shown.hasSuffix("</p>"))
      }
    }
  }

  @Test("Without a key, or with one that could be a word, all passes", arguments: [nil, "short"])
  func noKey(key: String?) throws {
    let base = try #require(BaseURL("https://h/v1"))
    let provider = Provider(name: "p", baseURL: base, apiKey: key.map { Secret($0) })
    var filter = KeyFilter(of: provider)
    var passed: [UInt8] = []
    for var piece in ["a sho", "rt w", "ord s"].map({ Array($0.utf8) }) {
      filter.filter(&piece)
      passed += piece
    }
    #expect(String(decoding: passed + filter.takeRest(), as: UTF8.self) == "a short word s")
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
