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
