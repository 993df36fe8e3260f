import Testing

@testable import TLS

@Suite struct DigestTests {
  @Test(
    "SHA-256 gives the values of FIPS 180-4",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        String(repeating: "a", count: 1_000_000),
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      ),
    ])
  func vectors(text: String, hex: String) {
    #expect(SHA256.digest(of: text).hex == hex)
    #expect(SHA256.digest(of: Array(text.utf8)).hex == hex)
    #expect(SHA256Digest(hex: hex) == SHA256.digest(of: text))
    #expect(SHA256Digest(hex: hex.uppercased())?.hex == hex)
  }

  @Test(
    "a text that isn't 64 hexadecimal digits is no digest",
    arguments: [
      "", "ab", String(repeating: "0", count: 63), String(repeating: "0", count: 65),
      String(repeating: "g", count: 64), String(repeating: "é", count: 32),
    ])
  func badHex(text: String) {
    #expect(SHA256Digest(hex: text) == nil)
  }

  @Test("a difference in any byte is seen in constant time too")
  func comparison() {
    let hex = Array(SHA256.digest(of: "abc").hex)
    let digest = SHA256.digest(of: "abc")
    #expect(digest.isEqualInConstantTime(to: digest))
    for index in hex.indices {
      var changed = hex
      changed[index] = changed[index] == "0" ? "1" : "0"
      let other = SHA256Digest(hex: String(changed))!
      #expect(!digest.isEqualInConstantTime(to: other))
    }
  }
}

@Suite struct Base64URLTests {
  @Test(
    "bytes become RFC 4648's text with the URL alphabet and no padding",
    arguments: [
      ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
      ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
    ])
  func vectors(text: String, encoded: String) {
    #expect(Base64URL.encode(Array(text.utf8)) == encoded)
    #expect(Base64URL.decode(encoded) == Array(text.utf8))
  }

  @Test(
    "what is never written is never read: padding, other alphabets, stray bits",
    arguments: ["Zg==", "Z", "Zh", "Zm9", "+/", "Zm 9v", "é"])
  func malformed(text: String) {
    #expect(Base64URL.decode(text) == nil)
  }

  @Test("the last two characters of the alphabet are - and _")
  func alphabet() {
    #expect(Base64URL.encode([0xFB, 0xEF, 0xFF]) == "--__")
    #expect(Base64URL.decode("--__") == [0xFB, 0xEF, 0xFF])
  }
}

@Suite struct SecureRandomTests {
  @Test("as many bytes come as were asked for, others every time")
  func bytes() {
    #expect(SecureRandom.bytes(0) == [])
    let first = SecureRandom.bytes(32)
    #expect(first.count == 32)
    #expect(first != SecureRandom.bytes(32))
    #expect(Base64URL.encode(first).count == 43)
  }
}
