/// The SHA-256 of a whole key or token, the only form in which one is stored.
public struct KeyDigest: Hashable, Sendable, CustomStringConvertible {
  private let words: (UInt64, UInt64, UInt64, UInt64)

  /// The length of a digest in bytes.
  public static let byteCount = 32

  /// The four words of a digest, the first byte highest in the first.
  public init(words: (UInt64, UInt64, UInt64, UInt64)) {
    self.words = words
  }

  /// Nil unless `bytes` are 32.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    var words: [UInt64] = [0, 0, 0, 0]
    for (index, byte) in bytes.enumerated() {
      words[index / 8] = words[index / 8] << 8 | UInt64(byte)
    }
    self.words = (words[0], words[1], words[2], words[3])
  }

  /// Nil unless `text` is 64 hexadecimal digits.
  public init?(hexadecimal text: String) {
    var text = text
    let words = text.withUTF8 { digits -> (UInt64, UInt64, UInt64, UInt64)? in
      guard digits.count == 2 * Self.byteCount else { return nil }
      var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
      for index in 0..<16 {
        guard let first = hexadecimalValue(unsafe digits[index]),
          let second = hexadecimalValue(unsafe digits[index + 16]),
          let third = hexadecimalValue(unsafe digits[index + 32]),
          let fourth = hexadecimalValue(unsafe digits[index + 48])
        else { return nil }
        words.0 = words.0 << 4 | first
        words.1 = words.1 << 4 | second
        words.2 = words.2 << 4 | third
        words.3 = words.3 << 4 | fourth
      }
      return words
    }
    guard let words else { return nil }
    self.words = words
  }

  /// 64 lower-case hexadecimal digits.
  public var description: String {
    [words.0, words.1, words.2, words.3].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// The first 12 hexadecimal digits, by which a key may be named in public.
  public var fingerprint: String { String(description.prefix(12)) }

  public static func == (left: KeyDigest, right: KeyDigest) -> Bool {
    left.words == right.words
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
    hasher.combine(words.3)
  }
}

private func hexadecimalValue(_ digit: UInt8) -> UInt64? {
  switch digit {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(digit - UInt8(ascii: "0"))
  case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(digit - UInt8(ascii: "a") + 10)
  case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(digit - UInt8(ascii: "A") + 10)
  default: nil
  }
}

extension ValueFormat<KeyDigest> {
  static var digest: ValueFormat {
    .scalar(
      "the SHA-256 of the whole key, 64 hexadecimal digits, such as `catraca key create` prints",
      isConfidential: true
    ) { KeyDigest(hexadecimal: $0) }
  }
}
