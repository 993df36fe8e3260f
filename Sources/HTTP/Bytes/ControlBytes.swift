/// Finds the bytes that aren't allowed in a line: those below 0x20 except the tab, and 0x7F.
///
/// CR and LF are among them, so one pass finds the ends of lines and checks their contents.
enum ControlBytes {
  /// Returns the index of the first one at or after `start`; nil if there is none.
  static func firstIndex(in bytes: Span<UInt8>, from start: Int) -> Int? {
    var index = start
    while index + 8 <= bytes.count {
      let word = unsafe UInt64(
        littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
      let flags = flags(of: word)
      guard flags != 0 else {
        index += 8
        continue
      }
      index += flags.trailingZeroBitCount / 8
      guard bytes[index] == ASCII.horizontalTab else { return index }
      index += 1
    }
    while index < bytes.count {
      if isControl(bytes[index]) { return index }
      index += 1
    }
    return nil
  }

  static func isControl(_ byte: UInt8) -> Bool {
    (byte < 0x20 && byte != ASCII.horizontalTab) || byte == 0x7F
  }

  /// Checks eight bytes at once: the lowest set bit belongs to the first byte below 0x20 or equal
  /// to 0x7F. Because subtraction borrows, later bytes may be flagged wrongly.
  private static func flags(of word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let belowSpace = (word &- ones &* 0x20) & ~word
    let deleteAsZero = word ^ (ones &* 0x7F)
    let isDelete = (deleteAsZero &- ones) & ~deleteAsZero
    return (belowSpace | isDelete) & (ones &* 0x80)
  }
}

/// The rule for names: 1 to 256 bytes of UTF-8 without control characters.
///
/// Names of users, conversations and agents are stored with each request, so their length limits
/// how much one request adds to the ledger.
public enum PlainText {
  /// The longest name, in bytes.
  public static let longest = 256
  public static let rule = rule(atMost: longest)

  public static func rule(atMost limit: Int) -> String {
    "text of 1 to \(limit) bytes without control characters"
  }

  public static func isValid(_ text: String, atMost limit: Int = longest) -> Bool {
    (1...limit).contains(text.utf8.count) && !hasControlCharacters(text)
  }

  public static func hasControlCharacters(_ text: String) -> Bool {
    text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
  }
}
