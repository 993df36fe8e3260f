/// The tag that may stand before a sound: names, pictures.
enum ID3Tag {
  /// Where the tag ends; 0 without one.
  static func end(_ bytes: Span<UInt8>) -> Int {
    guard bytes.hasText("ID3", at: 0), let flags = bytes.byte(at: 5),
      let coded = bytes.bigEndian(at: 6, count: 4)
    else { return 0 }
    // Seven bits of each byte.
    let size =
      coded & 0x7F | (coded >> 8 & 0x7F) << 7 | (coded >> 16 & 0x7F) << 14
      | (coded >> 24 & 0x7F) << 21
    let hasFooter = flags & 0x10 != 0
    return 10 + Int(size) + (hasFooter ? 10 : 0)
  }

  /// Where the last of the tags ends that follow each other from the beginning; 0 without one.
  static func endOfAll(_ bytes: Span<UInt8>) -> Int {
    var position = 0
    while position < bytes.count {
      let length = end(bytes.extracting(position...))
      guard length > 0 else { break }
      position += length
    }
    return min(position, bytes.count)
  }
}
