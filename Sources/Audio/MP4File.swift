/// MP4, M4A and QuickTime files: nested boxes. `moov/mvhd` has the duration; for a file in
/// fragments `moov/mvex/mehd` can have it.
enum MP4File {
  static func duration(_ bytes: Span<UInt8>) -> TickCount? {
    guard let movie = find("moov", in: 0..<bytes.count, of: bytes),
      let header = find("mvhd", in: movie, of: bytes),
      let isLong = isLong(header, of: bytes)
    else { return nil }
    // A version, flags and two dates precede the scale.
    let scaleAt = header.lowerBound + (isLong ? 20 : 12)
    guard let scale = bytes.bigEndian(at: scaleAt, count: 4),
      let duration = bytes.bigEndian(at: scaleAt + 4, count: isLong ? 8 : 4)
    else { return nil }
    let unknown: UInt64 = isLong ? .max : UInt64(UInt32.max)
    if duration > 0, duration != unknown { return TickCount(duration, perSecond: scale) }
    guard let extends = find("mvex", in: movie, of: bytes),
      let fragments = find("mehd", in: extends, of: bytes),
      let isLong = self.isLong(fragments, of: bytes),
      let duration = bytes.bigEndian(at: fragments.lowerBound + 4, count: isLong ? 8 : 4)
    else { return nil }
    return TickCount(duration, perSecond: scale)
  }

  /// Whether the numbers of a box have 64 bits; nil beyond the end.
  private static func isLong(_ box: Range<Int>, of bytes: Span<UInt8>) -> Bool? {
    bytes.byte(at: box.lowerBound).map { $0 == 1 }
  }

  /// The content of the first box of a type; nil if there is none.
  private static func find(
    _ type: StaticString, in range: Range<Int>, of bytes: Span<UInt8>
  ) -> Range<Int>? {
    var position = range.lowerBound
    while let box = box(bytes, at: position, before: range.upperBound) {
      if bytes.hasText(type, at: position + 4) { return box }
      position = box.upperBound
    }
    return nil
  }

  /// The content of the box at a position; nil if there is no box, or if it ends after `end`.
  static func box(_ bytes: Span<UInt8>, at position: Int, before end: Int) -> Range<Int>? {
    guard position + 8 <= end, let size = bytes.bigEndian(at: position, count: 4) else {
      return nil
    }
    var content = position + 8
    var length = size
    if size == 1 {
      guard let long = bytes.bigEndian(at: content, count: 8) else { return nil }
      length = long
      content += 8
    } else if size == 0 {
      length = UInt64(end - position)
    }
    guard length >= UInt64(content - position), length <= UInt64(end - position) else { return nil }
    return content..<position + Int(length)
  }
}
