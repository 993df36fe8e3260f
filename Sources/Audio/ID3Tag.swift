/// The ID3 tag that can precede a sound. It holds names and pictures.
enum ID3Tag {
  /// The offset behind the tag; 0 if there is none.
  static func end(_ bytes: Span<UInt8>) -> Int {
    guard bytes.hasText("ID3", at: 0), let flags = bytes.byte(at: 5),
      let coded = bytes.bigEndian(at: 6, count: 4)
    else { return 0 }
    // Each byte holds seven bits of the size.
    let size =
      coded & 0x7F | (coded >> 8 & 0x7F) << 7 | (coded >> 16 & 0x7F) << 14
      | (coded >> 24 & 0x7F) << 21
    let hasFooter = flags & 0x10 != 0
    return 10 + Int(size) + (hasFooter ? 10 : 0)
  }

  /// The offset behind the last of consecutive tags at the beginning; 0 if there is none.
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
