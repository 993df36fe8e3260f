internal import TLS

/// A byte as a text may write it: plain, as `%6B` or `\u006b`, or with NULs around it, as UTF-16
/// has them.
public struct WrittenByte {
  public let value: UInt8
  /// The offset of the next byte.
  public let end: Int

  /// The most bytes that write one byte: two escapes of JSON, of which the first is a NUL.
  static let longest = 12

  /// Nil at the end of the text.
  public init?(_ text: Span<UInt8>, at start: Int) {
    let index = WrittenByte.behindNULs(text, from: start)
    guard index < text.count else { return nil }
    let escape = WrittenByte.escape(text, at: index)
    value = escape?.value ?? text[index]
    end = index + (escape?.length ?? 1)
  }

  /// The offset behind NULs, plain or with escapes.
  static func behindNULs(_ text: Span<UInt8>, from start: Int) -> Int {
    var index = start
    while index < text.count {
      if text[index] == 0 {
        index += 1
      } else if let escape = escape(text, at: index), escape.value == 0 {
        index += escape.length
      } else {
        break
      }
    }
    return index
  }

  private static func escape(
    _ text: Span<UInt8>, at index: Int
  ) -> (value: UInt8, length: Int)? {
    switch text[index] {
    case UInt8(ascii: "\\"): escaped(text, at: index, behind: "\\u00").map { ($0, 6) }
    case UInt8(ascii: "%"): escaped(text, at: index, behind: "%").map { ($0, 3) }
    default: nil
    }
  }

  private static func escaped(
    _ text: Span<UInt8>, at start: Int, behind mark: StaticString
  ) -> UInt8? {
    let digits = start + mark.utf8CodeUnitCount
    guard digits + 2 <= text.count else { return nil }
    let isMarked = mark.withUTF8Buffer { mark in
      mark.indices.allSatisfy { unsafe text[start + $0] == mark[$0] }
    }
    guard isMarked else { return nil }
    guard let high = digit(text[digits]), let low = digit(text[digits + 1]) else { return nil }
    return high << 4 | low
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// A text in Base64, found in either alphabet.
public struct Base64Text: Sendable {
  /// In the alphabet for URLs.
  let characters: [UInt8]

  /// The Base64 of a secret for each place at which it can begin in a coded text. The characters at
  /// either end depend on the text around the secret, so they are left out.
  ///
  /// - Parameter secret: At least two bytes.
  public static func ofAllPlaces(_ secret: [UInt8]) -> [Base64Text] {
    (0..<3).map { skipped in
      let length = (secret.count - skipped) / 3 * 3
      return Base64Text(
        characters: Array(Base64URL.encode(Array(secret[skipped..<skipped + length])).utf8))
    }
  }

  /// The offset behind the coded text that begins so at `start`; nil if none does.
  public func end(in text: Span<UInt8>, at start: Int) -> Int? {
    guard isFound(in: text, at: start) else { return nil }
    var end = start + characters.count
    while end < text.count, Base64Text.isCharacter(text[end]) { end += 1 }
    return end
  }

  func isFound(in text: Span<UInt8>, at start: Int) -> Bool {
    guard start >= 0, start + characters.count <= text.count else { return false }
    for index in characters.indices
    where Base64Text.plain(text[start + index]) != characters[index] {
      return false
    }
    return true
  }

  private static func isCharacter(_ byte: UInt8) -> Bool {
    switch plain(byte) {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "="):
      true
    default: false
    }
  }

  /// The character of the alphabet for URLs.
  static func plain(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "+"): UInt8(ascii: "-")
    case UInt8(ascii: "/"): UInt8(ascii: "_")
    default: byte
    }
  }
}
