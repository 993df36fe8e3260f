import Testing
import Time

@testable import Console

@Suite struct WidgetTokensTests {
  private let tokens = WidgetTokens(key: [UInt8](repeating: 7, count: 32))
  private let now = Timestamp(milliseconds: 1_000_000)

  private static let grants = [("acme", nil), ("acme", "u1"), ("a.b", "ü. user/+="), ("x", ".")]

  @Test("A token grants what it was made for, until it is too old", arguments: grants)
  func roundTrip(client: String, user: String?) {
    let end = now.advanced(by: .seconds(60))
    let grant = WidgetGrant(client: client, user: user, expiresAt: end)
    let token = tokens.token(for: grant)
    #expect(tokens.grant(of: token, at: now) == grant)
    #expect(tokens.grant(of: token, at: end) == nil)
    #expect(WidgetTokens(key: [1, 2, 3]).grant(of: token, at: now) == nil)
  }

  @Test("A token is known only while the key that made it is among those that may")
  func maker() {
    let grant = WidgetGrant(client: "acme", user: nil, expiresAt: now.advanced(by: .seconds(60)))
    let token = tokens.token(for: grant, by: "digest-1")
    #expect(tokens.claimedClient(in: token) == "acme")
    #expect(tokens.grant(of: token, by: ["digest-2", "digest-1"], at: now) == grant)
    for others in [[], ["digest-2"], [""], ["digest-1."]] {
      #expect(tokens.grant(of: token, by: others, at: now) == nil)
    }
    #expect(tokens.claimedClient(in: "a.b") == nil)
  }

  @Test("A token of which any byte is changed grants nothing")
  func changed() {
    let grant = WidgetGrant(client: "acme", user: "u1", expiresAt: now.advanced(by: .seconds(60)))
    let token = Array(tokens.token(for: grant).utf8)
    for index in token.indices {
      for other in [UInt8(ascii: "A"), UInt8(ascii: "9"), UInt8(ascii: ".")]
      where token[index] != other && !isSameDigit(token[index], other) {
        var changed = token
        changed[index] = other
        let text = String(decoding: changed, as: UTF8.self)
        #expect(tokens.grant(of: text, at: now) == nil, "\(text)")
      }
    }
  }

  /// Codes are hexadecimal, of either case.
  private func isSameDigit(_ byte: UInt8, _ other: UInt8) -> Bool { byte | 0x20 == other | 0x20 }

  @Test("What is no token grants nothing", arguments: ["", ".", "...", "a.b.c.d", "1.YQ..", "é"])
  func malformed(text: String) {
    #expect(tokens.grant(of: text, at: now) == nil)
  }
}
