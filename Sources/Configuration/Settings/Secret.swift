import Glibc

/// A text that must not be shown. Descriptions and mirrors show dots.
public struct Secret: Sendable {
  private let text: String
  private let search: SecretSearch?

  public init(_ text: String) {
    self.text = text
    search = SecretSearch(text)
  }

  /// Returns the text itself, for the code that sends it or signs with it.
  public func revealed() -> String { text }

  /// Whether the secret, or its beginning, occurs in bytes. Always false for a short text, which
  /// could be a word.
  public func isShown(in bytes: Span<UInt8>) -> Bool {
    search?.isFound(in: bytes) ?? false
  }
}

extension Secret: Hashable {
  public static func == (left: Secret, right: Secret) -> Bool { left.text == right.text }

  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "••••" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// Finds the beginning of a secret in a provider's answer.
///
/// All answers are searched, and almost none contains a secret. The C library therefore searches
/// for one byte of the secret, the one that is rarest in answers. The other bytes are compared only
/// where it occurs.
final class SecretSearch: Sendable {
  /// The number of bytes that count as the beginning of the secret.
  private static let longestBeginning = 12
  /// The length below which a text isn't treated as a secret.
  private static let shortest = 8

  private let beginning: [UInt8]
  /// The index in `beginning` of the byte to search for.
  private let anchor: Int

  /// Returns nil for a text that is too short.
  init?(_ text: String) {
    let beginning = Array(text.utf8.prefix(SecretSearch.longestBeginning))
    guard beginning.count >= SecretSearch.shortest else { return nil }
    self.beginning = beginning
    anchor =
      beginning.indices.max { one, other in
        SecretSearch.rarity(of: beginning[one]) < SecretSearch.rarity(of: beginning[other])
      } ?? 0
  }

  func isFound(in bytes: Span<UInt8>) -> Bool {
    let count = beginning.count
    guard bytes.count >= count else { return false }
    // The positions of the byte at which the whole beginning fits.
    let end = bytes.count - (count - anchor - 1)
    var start = anchor
    while let found = SecretSearch.first(beginning[anchor], in: bytes, start..<end) {
      if isBeginning(in: bytes, at: found - anchor) { return true }
      start = found + 1
    }
    return false
  }

  private func isBeginning(in bytes: Span<UInt8>, at start: Int) -> Bool {
    for index in beginning.indices where bytes[start + index] != beginning[index] {
      return false
    }
    return true
  }

  private static func first(
    _ byte: UInt8, in bytes: Span<UInt8>, _ range: Range<Int>
  ) -> Int? {
    unsafe bytes.extracting(range).withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress,
        let found = unsafe memchr(start, CInt(byte), bytes.count)
      else { return nil }
      return range.lowerBound + (unsafe UnsafeRawPointer(found) - start)
    }
  }

  /// In JSON, capital letters are rarer than digits, and digits are rarer than small letters.
  private static func rarity(of byte: UInt8) -> Int {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): 3
    case UInt8(ascii: "j"), UInt8(ascii: "q"), UInt8(ascii: "z"), UInt8(ascii: "k"): 2
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "v"), UInt8(ascii: "w"): 1
    default: 0
    }
  }
}
