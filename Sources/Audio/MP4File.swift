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

/// The edit lists of an MP4 file (`elst`). Each entry can play all samples once more.
struct MP4Edits {
  /// The number of entries in the longest list. One list belongs to one track.
  private var mostEntries: UInt64 = 1
  /// The duration of the empty edits at the beginnings of all lists, in ticks of the movie.
  private var silence: UInt64 = 0
  private var emptyEdits = 0
  private var ticksPerSecond: UInt64 = .max
  /// Whether the lists have more empty edits than the reader reads.
  private(set) var isUnknown = false

  /// The most microseconds that a decoder makes of samples that last `once` when they are played
  /// once.
  func boundMicroseconds(_ once: UInt64) -> UInt64 {
    let rate = ticksPerSecond == .max ? 1 : ticksPerSecond
    let silent = TickCount(silence, perSecond: rate)?.microseconds ?? 0
    return once.multipliedSaturated(by: mostEntries).addingSaturated(silent)
  }

  /// Reads the header of a movie, whose ticks measure empty edits. If a file has several headers,
  /// the longest tick counts.
  mutating func read(movie bytes: Span<UInt8>, _ content: Int) {
    let isLong = bytes.byte(at: content) == 1
    guard let rate = bytes.bigEndian(at: content + (isLong ? 20 : 12), count: 4) else { return }
    ticksPerSecond = min(ticksPerSecond, max(1, rate))
  }

  /// Reads the list whose type ends at `index`.
  ///
  /// Some decoders use the number of entries, others the size of the box. The larger of the two
  /// counts, up to the end of the bytes.
  mutating func read(list bytes: Span<UInt8>, _ range: Range<Int>, after index: Int) {
    let content = MP4Samples.content(bytes, after: index)
    guard let stated = bytes.bigEndian(at: content + 4, count: 4),
      let size = bytes.bigEndian(at: index - 7, count: 4)
    else { return }
    let isLong = bytes.byte(at: content) == 1
    let entrySize = isLong ? 20 : 12
    let first = content + 8
    let room = UInt64(max(0, range.upperBound - first) / entrySize)
    // A size of 0 means "up to the end", and 1 means a longer field.
    let ofSize = size < 16 ? room : (size - 16) / UInt64(entrySize)
    let entries = min(room, max(stated, ofSize))
    let empty = readEmpty(bytes, from: first, entries, isLong: isLong)
    mostEntries = max(mostEntries, entries - empty)
  }

  /// The number of empty edits at the beginning of a list. They play nothing. Decoders play all
  /// samples for an empty edit that comes later.
  private mutating func readEmpty(
    _ bytes: Span<UInt8>, from first: Int, _ entries: UInt64, isLong: Bool
  ) -> UInt64 {
    let width = isLong ? 8 : 4
    let nothing: UInt64 = isLong ? .max : UInt64(UInt32.max)
    var position = first
    for index in 0..<entries {
      guard bytes.bigEndian(at: position + width, count: width) == nothing,
        let ticks = bytes.bigEndian(at: position, count: width)
      else { return index }
      guard emptyEdits < Self.mostEmptyEdits else {
        isUnknown = true
        return index
      }
      emptyEdits += 1
      silence = silence.addingSaturated(ticks)
      position += 2 * width + 4
    }
    return entries
  }

  /// The most empty edits that are read. A real track has one at most.
  private static let mostEmptyEdits = 1 << 10
}
