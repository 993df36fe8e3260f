import Glibc

/// Finds the beginning of a secret in a provider's answer, in whatever way the answer writes it.
///
/// All answers are searched, and almost none contains a secret. The C library therefore searches
/// for one byte of the secret, the one that is rarest in answers. The other bytes are compared only
/// where it occurs. The secret's Base64 is searched in the same way. A secret with escapes is
/// looked for only if an escape stands for a byte of the secret, because few honest answers have
/// one.
final class SecretSearch: Sendable {
  /// The number of bytes that count as the beginning of the secret.
  private static let longestBeginning = 12
  /// The length below which a text isn't treated as a secret.
  private static let shortest = 8

  private let secret: [UInt8]
  private let beginning: [UInt8]
  /// The index in `beginning` of the byte to search for.
  private let anchor: Int
  /// The beginnings of the secret's Base64, each with the index of the byte to search for.
  private let coded: [(text: Base64Text, anchor: Int)]
  /// The whole secret's Base64.
  private let wholeCoded: [Base64Text]

  /// The bytes of the shortest text in which the secret is found.
  var leastBytes: Int { beginning.count }

  /// Returns nil for a text that is too short.
  init?(_ text: String) {
    guard text.utf8.count >= SecretSearch.shortest else { return nil }
    secret = Array(text.utf8)
    wholeCoded = Base64Text.ofAllPlaces(secret)
    beginning = Array(secret.prefix(SecretSearch.longestBeginning))
    anchor = SecretSearch.anchor(of: beginning)
    coded = Base64Text.ofAllPlaces(beginning).map { text in
      (text, SecretSearch.anchor(of: text.characters))
    }
  }

  func isFound(in bytes: Span<UInt8>) -> Bool {
    guard bytes.count >= SecretSearch.shortest else { return false }
    return isFoundPlain(in: bytes) || coded.contains { isFound($0.text, $0.anchor, in: bytes) }
      || isFoundEscaped(in: bytes)
  }

  /// The offset at which the end of a piece begins that may go on as the whole secret does, in any
  /// way of writing it; the piece's count if there is none.
  func unfinished(in piece: Span<UInt8>) -> Int {
    let longest = secret.count * WrittenByte.longest
    var start = max(0, piece.count - longest)
    while start < piece.count {
      if goesOn(from: start, in: piece) || wholeCoded.contains(where: { goesOn($0, start, piece) })
      {
        return start
      }
      start += 1
    }
    return start
  }

  // MARK: Plain, in UTF-16 and in Base64

  private func isFoundPlain(in bytes: Span<UInt8>) -> Bool {
    var start = 0
    while let found = SecretSearch.first(beginning[anchor], in: bytes, start..<bytes.count) {
      if isBeginning(in: bytes, at: found - anchor) { return true }
      if isWide(in: bytes, at: found) { return true }
      start = found + 1
    }
    return false
  }

  private func isBeginning(in bytes: Span<UInt8>, at start: Int) -> Bool {
    guard start >= 0, start + beginning.count <= bytes.count else { return false }
    for index in beginning.indices where bytes[start + index] != beginning[index] {
      return false
    }
    return true
  }

  /// Whether the secret is written in UTF-16 around the byte at `found`.
  private func isWide(in bytes: Span<UInt8>, at found: Int) -> Bool {
    guard found > 0 && bytes[found - 1] == 0 || found + 1 < bytes.count && bytes[found + 1] == 0
    else { return false }
    return isWritten(in: bytes, from: found - 2 * anchor)
  }

  private func isFound(_ text: Base64Text, _ anchor: Int, in bytes: Span<UInt8>) -> Bool {
    var start = 0
    while let found = SecretSearch.first(text.characters[anchor], in: bytes, start..<bytes.count) {
      if text.isFound(in: bytes, at: found - anchor) { return true }
      start = found + 1
    }
    return false
  }

  // MARK: With escapes

  private func isFoundEscaped(in bytes: Span<UInt8>) -> Bool {
    let marks = [UInt8(ascii: "\\"), UInt8(ascii: "%")]
    guard let first = marks.compactMap({ firstEscape($0, in: bytes) }).min() else { return false }
    // One pass over the rest, however many escapes follow.
    let longest = SecretSearch.longestBeginning * WrittenByte.longest
    return (max(0, first - longest)..<bytes.count).contains { isWritten(in: bytes, from: $0) }
  }

  /// The first escape that stands for a character of keys.
  private func firstEscape(_ mark: UInt8, in bytes: Span<UInt8>) -> Int? {
    var start = 0
    while let found = SecretSearch.first(mark, in: bytes, start..<bytes.count) {
      if let byte = WrittenByte(bytes, at: found), byte.end > found + 1,
        beginning.contains(byte.value)
      {
        return found
      }
      start = found + 1
    }
    return nil
  }

  private func isWritten(in bytes: Span<UInt8>, from start: Int) -> Bool {
    guard start >= 0 else { return false }
    var index = start
    for byte in beginning {
      guard let next = WrittenByte(bytes, at: index), next.value == byte else { return false }
      index = next.end
    }
    return true
  }

  // MARK: At the end of a piece

  private func goesOn(from start: Int, in piece: Span<UInt8>) -> Bool {
    var index = start
    for byte in secret {
      guard let next = WrittenByte(piece, at: index) else { return index > start }
      if next.value != byte { return SecretSearch.isCutEscape(piece, at: index) }
      index = next.end
    }
    return false
  }

  /// Whether the piece ends within what may be an escape.
  private static func isCutEscape(_ piece: Span<UInt8>, at start: Int) -> Bool {
    let start = WrittenByte.behindNULs(piece, from: start)
    let rest = piece.count - start
    guard rest > 0 else { return true }
    return piece[start] == UInt8(ascii: "\\") && rest < 6
      || piece[start] == UInt8(ascii: "%") && rest < 3
  }

  private func goesOn(_ text: Base64Text, _ start: Int, _ piece: Span<UInt8>) -> Bool {
    let rest = piece.count - start
    guard rest < text.characters.count else { return false }
    for index in 0..<rest where Base64Text.plain(piece[start + index]) != text.characters[index] {
      return false
    }
    return true
  }

  // MARK: Bytes

  private static func anchor(of text: [UInt8]) -> Int {
    text.indices.max { rarity(of: text[$0]) < rarity(of: text[$1]) } ?? 0
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

  /// In JSON, capital letters are rarer than digits, and digits are rarer than small letters. A
  /// hyphen or an underscore has two forms in Base64, so neither is searched for.
  private static func rarity(of byte: UInt8) -> Int {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): 3
    case UInt8(ascii: "j"), UInt8(ascii: "q"), UInt8(ascii: "z"), UInt8(ascii: "k"): 2
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "v"), UInt8(ascii: "w"): 1
    case UInt8(ascii: "-"), UInt8(ascii: "_"): -1
    default: 0
    }
  }
}
