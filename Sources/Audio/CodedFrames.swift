/// Frames of another codec in the data of a WAV file that states PCM.
///
/// Decoders search such data. If enough frames of one kind follow each other, they decode the
/// frames. Ordinary sound has no such row, so it stays bounded as PCM.
struct CodedFrames {
  private var hasRow = false
  private var unlimitedMarks = 0
  private var dolbyMarks: UInt64 = 0
  private var lastDolbyMark = 0
  private var dolbyRow = 0
  private var hasDolbyRow = false

  /// The most microseconds that the frames from `start` on last; 0 if a decoder finds none. Nil for
  /// frames whose duration has no known limit.
  static func boundMicroseconds(_ bytes: Span<UInt8>, from start: Int) -> UInt64? {
    var frames = CodedFrames()
    guard frames.search(bytes, from: start) else { return nil }
    let dolby =
      frames.hasDolbyRow
      ? frames.dolbyMarks.multipliedSaturated(by: longestDolbyMicroseconds) : 0
    return max(dolby, frames.hasRow ? AudioFrames.longestChain(bytes) : 0)
  }

  /// Frames of MPEG audio, ADTS or LOAS in a row that decoders ask for at least.
  private static let leastRow = 3

  /// Looks for frames; false if it finds frames whose duration has no known limit.
  private mutating func search(_ bytes: Span<UInt8>, from start: Int) -> Bool {
    var word: UInt32 = 0
    for index in start..<max(start, bytes.count) {
      word = word << 8 | UInt32(bytes[index])
      switch word & 0xFFFF {
      case 0x0B77, 0x770B: noteDolby(index)
      // The ends of the words that `isUnlimited` knows.
      case 0x4E1F, 0x1F4E, 0x8001, 0x0180, 0xE800, 0x00E8, 0x2025, 0x2520, 0x6FBA, 0x6FBB:
        if Self.isUnlimited(word) { unlimitedMarks += 1 }
      case 0x56E0...0x56FF:
        if Self.hasRow(bytes, at: index - 1, Self.lengthOfLOAS) { return false }
      case 0xFFE0...0xFFFF:
        hasRow = hasRow || Self.hasRow(bytes, at: index - 1) { AudioFrame($0, at: $1)?.length }
      default: break
      }
    }
    return unlimitedMarks < Self.leastUnlimitedMarks
  }

  private static func hasRow(
    _ bytes: Span<UInt8>, at start: Int, _ length: (Span<UInt8>, Int) -> Int?
  ) -> Bool {
    var position = start
    for _ in 0..<leastRow {
      guard let length = length(bytes, position) else { return false }
      position += length
    }
    return true
  }

  private static func lengthOfLOAS(_ bytes: Span<UInt8>, at position: Int) -> Int? {
    guard let header = bytes.bigEndian(at: position, count: 3), header >> 13 == 0x2B7 else {
      return nil
    }
    return Int(header & 0x1FFF) + 3
  }

  // MARK: S/PDIF, DTS and TrueHD

  /// Fewer than the marks that decoders ask for. By chance PCM has one mark in hundreds of
  /// megabytes.
  private static let leastUnlimitedMarks = 3

  /// The first words of S/PDIF, DTS and TrueHD frames, in either byte order.
  private static func isUnlimited(_ word: UInt32) -> Bool {
    switch word {
    case 0xF872_4E1F, 0x72F8_1F4E: true
    // DTS, its form with 14 bits in a word, and its extension.
    case 0x7FFE_8001, 0xFE7F_0180, 0x1FFF_E800, 0xFF1F_00E8, 0x6458_2025, 0x5864_2520: true
    case 0xF872_6FBA, 0xF872_6FBB: true
    default: false
    }
  }

  // MARK: AC-3 and E-AC-3

  /// 1,536 samples at 8 kHz: AC-3 may quarter its lowest rate, 32 kHz.
  private static let longestDolbyMicroseconds: UInt64 = 192_000
  private static let longestDolbyBytes = 4096
  /// Decoders ask for seven in a row at the beginning, or for 200 later.
  private static let leastDolbyRow = 7

  private mutating func noteDolby(_ index: Int) {
    dolbyMarks += 1
    dolbyRow = index - lastDolbyMark <= Self.longestDolbyBytes ? dolbyRow + 1 : 1
    lastDolbyMark = index
    if dolbyRow >= Self.leastDolbyRow { hasDolbyRow = true }
  }
}
