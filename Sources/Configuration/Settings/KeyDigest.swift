public import TLS

/// The SHA-256 of a whole key or token, the only form in which one is stored.
public struct KeyDigest: Hashable, Sendable, CustomStringConvertible {
  private let words: (UInt64, UInt64, UInt64, UInt64)

  /// The length of a digest in bytes.
  public static let byteCount = 32

  /// Creates a digest from its four words; the first byte is the highest of the first word.
  public init(words: (UInt64, UInt64, UInt64, UInt64)) {
    self.words = words
  }

  /// Returns nil unless `bytes` are 32.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    var words: [UInt64] = [0, 0, 0, 0]
    for (index, byte) in bytes.enumerated() {
      words[index / 8] = words[index / 8] << 8 | UInt64(byte)
    }
    self.words = (words[0], words[1], words[2], words[3])
  }

  /// Returns nil unless `text` is 64 hexadecimal digits.
  public init?(hexadecimal text: String) {
    var text = text
    let words = text.withUTF8 { digits -> (UInt64, UInt64, UInt64, UInt64)? in
      guard digits.count == 2 * Self.byteCount else { return nil }
      var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
      let values = hexadecimalValues
      // Digit values are below 16, so the union of all values shows whether one isn't a digit.
      var all: UInt8 = 0
      for index in 0..<16 {
        let first = values[Int(unsafe digits[index])]
        let second = values[Int(unsafe digits[index + 16])]
        let third = values[Int(unsafe digits[index + 32])]
        let fourth = values[Int(unsafe digits[index + 48])]
        all |= first | second | third | fourth
        words.0 = words.0 << 4 | UInt64(first)
        words.1 = words.1 << 4 | UInt64(second)
        words.2 = words.2 << 4 | UInt64(third)
        words.3 = words.3 << 4 | UInt64(fourth)
      }
      return all < 16 ? words : nil
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

  /// The first 12 hexadecimal digits, which may be shown publicly.
  public var fingerprint: String { String(description.prefix(12)) }

  public static func == (left: KeyDigest, right: KeyDigest) -> Bool {
    left.words == right.words
  }

  /// Hashes only the first word: any 64 bits of a SHA-256 distinguish keys equally well.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
  }
}

/// The value of each byte that is a hexadecimal digit; 255 for any other.
private let hexadecimalValues: [UInt8] = {
  var values = [UInt8](repeating: 255, count: 256)
  for (letters, first) in [("0123456789", 0), ("abcdef", 10), ("ABCDEF", 10)] as [(String, UInt8)] {
    for (offset, letter) in letters.utf8.enumerated() {
      values[Int(letter)] = first + UInt8(offset)
    }
  }
  return values
}()

extension ValueFormat<KeyDigest> {
  static var digest: ValueFormat {
    .scalar(
      "the SHA-256 of the whole key, 64 hexadecimal digits, such as `catraca key create` prints",
      isConfidential: true
    ) { KeyDigest(hexadecimal: $0) }
  }
}

/// The text of a virtual key. Catraca shows it once and stores its digest alone.
public struct KeySecret: Sendable {
  /// `sk-ctr-` and 43 characters.
  public let text: String

  /// The seconds for which a rotated key's old secret may stay valid: up to thirty days.
  public static let overlaps: ClosedRange<Int64> = 0...2_592_000
  public static let usualOverlapSeconds: Int64 = 86_400

  private static let prefix = "sk-ctr-"
  private static let randomByteCount = 32

  /// Makes a key.
  ///
  /// - Parameter randomBytes: returns the given number of bytes from a cryptographic source.
  public init(randomBytes: (Int) -> [UInt8] = SecureRandom.bytes) {
    text = KeySecret.prefix + Base64URL.encode(randomBytes(KeySecret.randomByteCount))
  }

  /// The digest that the ledger stores: 64 hexadecimal digits over the whole text.
  public var sha256: String { SHA256.digest(of: text).hex }
}
