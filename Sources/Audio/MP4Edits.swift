/// The edit lists of an MP4 file (`elst`), each entry of which may play all samples once more.
struct MP4Edits {
  /// The most entries of one list: a list is for one track.
  private var mostEntries: UInt64 = 1
  /// What the empty edits at the beginnings of lists last, in ticks of the movie.
  private var silence: UInt64 = 0
  private var emptyEdits = 0
  private var ticksPerSecond: UInt64 = .max
  /// Whether there are more empty edits than are read.
  private(set) var isUnknown = false

  /// What a decoder makes at most of samples that last so long if they are played once.
  func boundMicroseconds(_ once: UInt64) -> UInt64 {
    let rate = ticksPerSecond == .max ? 1 : ticksPerSecond
    let silent = TickCount(silence, perSecond: rate)?.microseconds ?? 0
    return once.multipliedSaturated(by: mostEntries).addingSaturated(silent)
  }

  /// The header of a movie, whose ticks measure empty edits: the longest ticks count.
  mutating func read(movie bytes: Span<UInt8>, _ content: Int) {
    let isLong = bytes.byte(at: content) == 1
    guard let rate = bytes.bigEndian(at: content + (isLong ? 20 : 12), count: 4) else { return }
    ticksPerSecond = min(ticksPerSecond, max(1, rate))
  }

  /// The list whose type ends at `index`.
  ///
  /// Some decoders believe the number of entries, and some the size of the box: the larger counts,
  /// as far as the bytes go.
  mutating func read(list bytes: Span<UInt8>, _ range: Range<Int>, after index: Int) {
    let content = MP4Samples.content(bytes, after: index)
    guard let stated = bytes.bigEndian(at: content + 4, count: 4),
      let size = bytes.bigEndian(at: index - 7, count: 4)
    else { return }
    let isLong = bytes.byte(at: content) == 1
    let entrySize = isLong ? 20 : 12
    let first = content + 8
    let room = UInt64(max(0, range.upperBound - first) / entrySize)
    // A size of 0 or 1 stands for the rest, or for a longer field.
    let ofSize = size < 16 ? room : (size - 16) / UInt64(entrySize)
    let entries = min(room, max(stated, ofSize))
    let empty = readEmpty(bytes, from: first, entries, isLong: isLong)
    mostEntries = max(mostEntries, entries - empty)
  }

  /// How many entries at the beginning are empty edits, which play nothing. Later on they play all
  /// samples, as decoders read them.
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

  /// A track has one, if any.
  private static let mostEmptyEdits = 1 << 10
}
