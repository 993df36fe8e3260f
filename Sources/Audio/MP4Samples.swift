/// The samples of an MP4 file (its packets). Their number and their codec bound the file's
/// duration.
///
/// The reader ignores durations in headers and in tables of times, because a decoder makes the
/// sound that the samples hold. Tables of sizes and runs of fragments give the number of samples.
/// Several samples can be the same bytes, so the file's size bounds nothing. The reader looks for
/// the tables at every byte outside `mdat`: a table can't hide in a box that only decoders open. It
/// counts the samples of all tracks, so the pictures of a film count like sound.
struct MP4Samples {
  /// The sum of the numbers of samples in all tables.
  private var count: UInt64 = 0
  /// The longest duration of one sample, in microseconds.
  private var longest: UInt64 = 0
  private var hasAAC = false
  /// Whether a track has a codec that no reader here knows.
  private var isUnknown = false
  private var edits = MP4Edits()

  /// The most microseconds that the samples last; nil if a codec isn't known.
  static func boundMicroseconds(_ bytes: Span<UInt8>) -> UInt64? {
    var samples = MP4Samples()
    for range in rangesBesideMedia(bytes) { samples.read(bytes, range) }
    guard !samples.isUnknown, samples.longest > 0 else { return nil }
    let total = samples.count.multipliedSaturated(by: samples.longest)
    guard samples.hasAAC else { return samples.edits.boundMicroseconds(total) }
    // If a sample begins with a header of an ADTS frame, a decoder uses that header.
    let excess = ADTSFrame.excessMicroseconds(bytes, over: samples.longest)
    return samples.edits.boundMicroseconds(total.addingSaturated(excess))
  }

  /// All bytes except the content of each `mdat` at the top level.
  private static func rangesBesideMedia(_ bytes: Span<UInt8>) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start = 0
    var position = 0
    while let box = MP4File.box(bytes, at: position, before: bytes.count) {
      if bytes.hasText("mdat", at: position + 4), ranges.count < mostRanges {
        ranges.append(start..<box.lowerBound)
        start = box.upperBound
      }
      position = box.upperBound
    }
    if start < bytes.count { ranges.append(start..<bytes.count) }
    return ranges
  }

  private static let mostRanges = 1 << 16

  private mutating func read(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var type: UInt32 = 0
    for index in range {
      type = type << 8 | UInt32(bytes[index])
      guard index - range.lowerBound >= 7 else { continue }
      switch type {
      case Self.sampleSizes, Self.compactSizes: addCount(bytes, after: index, at: 8)
      case Self.run: addCount(bytes, after: index, at: 4)
      case Self.descriptions: read(descriptions: bytes, Self.content(bytes, after: index))
      case Self.elementaryStream: read(stream: bytes, Self.content(bytes, after: index))
      case Self.editList: edits.read(list: bytes, range, after: index)
      case Self.movieHeader: edits.read(movie: bytes, Self.content(bytes, after: index))
      // A compressed `moov`: decoders inflate it, this reader doesn't.
      case Self.compressedMovie: isUnknown = true
      default: break
      }
    }
    if edits.isUnknown { isUnknown = true }
  }

  private static let editList: UInt32 = 0x656C_7374
  private static let movieHeader: UInt32 = 0x6D76_6864
  private static let compressedMovie: UInt32 = 0x636D_6F76
  private static let sampleSizes: UInt32 = 0x7374_737A
  private static let compactSizes: UInt32 = 0x7374_7A32
  private static let run: UInt32 = 0x7472_756E
  private static let descriptions: UInt32 = 0x7374_7364
  private static let elementaryStream: UInt32 = 0x6573_6473

  /// The offset of the content of the box whose type ends at `index`.
  static func content(_ bytes: Span<UInt8>, after index: Int) -> Int {
    let isLong = bytes.bigEndian(at: index - 7, count: 4) == 1
    return index + 1 + (isLong ? 8 : 0)
  }

  private mutating func addCount(_ bytes: Span<UInt8>, after index: Int, at offset: Int) {
    let place = Self.content(bytes, after: index) + offset
    count = count.addingSaturated(bytes.bigEndian(at: place, count: 4) ?? 0)
  }

  // MARK: Codecs

  /// Reads the table `stsd`: each entry describes the codec of some samples.
  private mutating func read(descriptions bytes: Span<UInt8>, _ content: Int) {
    guard let entries = bytes.bigEndian(at: content + 4, count: 4), entries <= Self.mostEntries
    else { return isUnknown = true }
    var position = content + 8
    for _ in 0..<entries {
      guard let entry = MP4File.box(bytes, at: position, before: bytes.count) else {
        return isUnknown = true
      }
      read(entry: bytes, type: position + 4, entry)
      position = entry.upperBound
    }
  }

  private static let mostEntries: UInt64 = 16

  private mutating func read(entry bytes: Span<UInt8>, type: Int, _ content: Range<Int>) {
    if bytes.hasText("mp4a", at: type) {
      note(samples: AACConfiguration.samplesPerFrame, perSecond: rate(bytes, content.lowerBound))
      // An entry can hold its own description, with more details.
      hasAAC = true
    } else if bytes.hasText("alac", at: type) {
      readALAC(bytes, content)
    } else if bytes.hasText("Opus", at: type) {
      longest = max(longest, OpusPacket.longestMicroseconds)
    } else if bytes.hasText(".mp3", at: type) {
      note(samples: Self.longestMP3, perSecond: Self.slowestMP3)
    } else if bytes.hasText("ac-3", at: type) || bytes.hasText("ec-3", at: type) {
      // AC-3 may quarter its lowest rate, 32 kHz.
      note(samples: 1536, perSecond: 8_000)
    } else if !Self.silent.contains(where: { bytes.hasText($0, at: type) }) {
      isUnknown = true
    }
  }

  private static let longestMP3: UInt64 = 1152
  private static let slowestMP3: UInt64 = 8_000
  /// Codecs of pictures, texts and times.
  private static let silent: [StaticString] = [
    "avc1", "avc3", "hvc1", "hev1", "dvh1", "dvhe", "mp4v", "vp08", "vp09", "av01", "s263", "h263",
    "jpeg", "png ", "mebx", "mett", "text", "tx3g", "wvtt", "stpp", "c608", "tmcd", "rtp ",
  ]

  /// The sample rate in a description of sound, in hertz; nil if it states none.
  private func rate(_ bytes: Span<UInt8>, _ content: Int) -> UInt64? {
    if bytes.bigEndian(at: content + 8, count: 2) == 2 {
      let bits = bytes.bigEndian(at: content + 32, count: 8)
      return bits.flatMap { UInt64(exactly: Double(bitPattern: $0).rounded(.down)) }
    }
    return bytes.bigEndian(at: content + 24, count: 2)
  }

  private mutating func readALAC(_ bytes: Span<UInt8>, _ content: Range<Int>) {
    guard let inner = content.first(where: { bytes.hasText("alac", at: $0) }),
      let samples = bytes.bigEndian(at: inner + 8, count: 4),
      let coded = bytes.bigEndian(at: inner + 28, count: 4), coded > 0
    else { return isUnknown = true }
    let stated = rate(bytes, content.lowerBound) ?? 0
    note(samples: samples, perSecond: stated > 0 ? min(stated, coded) : coded)
  }

  private mutating func note(samples: UInt64, perSecond rate: UInt64?) {
    guard let rate, let duration = TickCount(samples, perSecond: rate) else { return }
    longest = max(longest, duration.microseconds)
  }

  /// Reads the descriptors of an elementary stream, which name the codec of an `mp4a` entry.
  private mutating func read(stream bytes: Span<UInt8>, _ content: Int) {
    var position = content + 4
    guard var descriptor = MP4Descriptor(bytes, &position), descriptor.tag == 3,
      let flags = bytes.byte(at: position + 2)
    else { return isUnknown = true }
    position += 3
    if flags & 0x80 != 0 { position += 2 }
    if flags & 0x40 != 0 { position += 1 + Int(bytes.byte(at: position) ?? 0) }
    if flags & 0x20 != 0 { position += 2 }
    guard let decoder = MP4Descriptor(bytes, &position), decoder.tag == 4,
      let kind = bytes.byte(at: position)
    else { return isUnknown = true }
    position += 13
    switch kind {
    case 0x40, 0x66, 0x67, 0x68:
      descriptor = MP4Descriptor(bytes, &position) ?? descriptor
      guard descriptor.tag == 5, let configuration = AACConfiguration(bytes, at: position) else {
        return isUnknown = true
      }
      longest = max(longest, configuration.microsecondsPerFrame)
    case 0x69, 0x6B: note(samples: Self.longestMP3, perSecond: Self.slowestMP3)
    // Pictures.
    case 0x20...0x22, 0x60...0x65, 0x6A, 0x6C: break
    default: isUnknown = true
    }
  }
}

/// The head of a descriptor: its tag, and a length of up to four bytes.
private struct MP4Descriptor {
  let tag: UInt8

  init?(_ bytes: Span<UInt8>, _ position: inout Int) {
    guard let tag = bytes.byte(at: position) else { return nil }
    self.tag = tag
    position += 1
    for _ in 0..<4 {
      guard let byte = bytes.byte(at: position) else { return nil }
      position += 1
      if byte & 0x80 == 0 { break }
    }
  }
}

extension ADTSFrame {
  /// The microseconds that all ADTS frames last beyond `counted` for each of them, at any position.
  static func excessMicroseconds(_ bytes: Span<UInt8>, over counted: UInt64) -> UInt64 {
    var total: UInt64 = 0
    for position in bytes.indices where bytes[position] == 0xFF {
      guard let frame = ADTSFrame(bytes, at: position),
        let duration = TickCount(frame.samples, perSecond: frame.rate)?.microseconds
      else { continue }
      if duration > counted { total = total.addingSaturated(duration - counted) }
    }
    return total
  }
}
