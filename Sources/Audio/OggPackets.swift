/// The packets of an Ogg file. Each packet bounds its own duration.
///
/// The reader ignores the positions of samples that pages state, because a decoder makes the sound
/// that the packets hold. It looks for pages at every byte, as decoders do behind a broken page, so
/// no packet can hide inside another page. The continuation of a packet isn't counted again.
enum OggPackets {
  /// The most streams that the reader follows.
  private static let mostStreams = 64

  /// The rule that bounds the duration of a stream's packets.
  private enum Codec {
    case opus
    /// Each packet lasts at most this long.
    case fixed(microseconds: UInt64)
    case flac(rate: UInt64)

    func microseconds(_ bytes: Span<UInt8>, _ packet: Range<Int>) -> UInt64? {
      switch self {
      case .opus: OpusPacket.microseconds(bytes, packet)
      case .fixed(let microseconds): microseconds
      case .flac(let rate):
        if let frame = FLACFrame(bytes, at: packet.lowerBound) {
          frame.microseconds(statedRate: rate)
        } else {
          0
        }
      }
    }
  }

  /// The most microseconds that the packets last; nil if a stream's codec isn't known.
  static func boundMicroseconds(_ bytes: Span<UInt8>) -> UInt64? {
    var streams: [(serial: UInt64, codec: Codec)] = []
    var total: UInt64 = 0
    for start in bytes.indices
    where bytes[start] == UInt8(ascii: "O") && bytes.hasText("OggS", at: start) {
      guard let page = OggPage(bytes, at: start) else { continue }
      if page.isFirst || !streams.contains(where: { $0.serial == page.serial }) {
        guard streams.count < mostStreams, let codec = codec(bytes, at: page.content) else {
          return nil
        }
        streams.append((page.serial, codec))
        continue
      }
      // If two headers begin the same stream, a decoder may use either, so the longer counts.
      let codecs = streams.filter { $0.serial == page.serial }.map(\.codec)
      var fits = true
      page.forEachPacket(in: bytes) { packet in
        var longest: UInt64 = 0
        for codec in codecs {
          guard let duration = codec.microseconds(bytes, packet) else { return fits = false }
          longest = max(longest, duration)
        }
        total = total.addingSaturated(longest)
      }
      guard fits else { return nil }
    }
    return total
  }

  /// Reads the rule from the first packet of a stream; nil if the codec isn't known.
  private static func codec(_ bytes: Span<UInt8>, at content: Int) -> Codec? {
    if bytes.hasText("OpusHead", at: content) { return .opus }
    if bytes.hasText("\u{1}vorbis", at: content) {
      return VorbisHeader(bytes, at: content).map { .fixed(microseconds: $0.microsecondsPerPacket) }
    }
    if bytes.hasText("Speex   ", at: content) { return speex(bytes, at: content) }
    if bytes.hasText("\u{7F}FLAC", at: content) {
      return FLACFile.sampleRate(bytes, streamInfo: content + 17).map { .flac(rate: $0) }
    }
    // An index of the streams, and video: neither makes sound.
    if bytes.hasText("fishead\0", at: content) || bytes.hasText("theora", at: content + 1) {
      return .fixed(microseconds: 0)
    }
    return nil
  }

  /// Speex: frames of 160, 320 or 640 samples depending on the mode, at most 64 frames in a packet.
  private static func speex(_ bytes: Span<UInt8>, at content: Int) -> Codec? {
    guard let rate = bytes.littleEndian(at: content + 36, count: 4),
      let mode = bytes.littleEndian(at: content + 40, count: 4),
      let frames = bytes.littleEndian(at: content + 64, count: 4),
      let packet = TickCount((160 << min(mode, 2)) * max(1, min(frames, 64)), perSecond: rate)
    else { return nil }
    return .fixed(microseconds: packet.microseconds)
  }
}

/// A page of an Ogg file.
private struct OggPage {
  let serial: UInt64
  let isFirst: Bool
  let content: Int
  private let table: Range<Int>
  private let continues: Bool

  init?(_ bytes: Span<UInt8>, at start: Int) {
    guard let flags = bytes.byte(at: start + 5),
      let serial = bytes.littleEndian(at: start + 14, count: 4),
      let segments = bytes.byte(at: start + 26)
    else { return nil }
    self.serial = serial
    continues = flags & 1 != 0
    isFirst = flags & 2 != 0
    content = start + 27 + Int(segments)
    table = start + 27..<content
  }

  /// Calls `body` with the range on this page of each packet that begins on it.
  func forEachPacket(in bytes: Span<UInt8>, _ body: (Range<Int>) -> Void) {
    var start = content
    var position = content
    var isBegun = !continues
    for index in table {
      guard let size = bytes.byte(at: index) else { return }
      position += Int(size)
      guard size < 255 else { continue }
      if isBegun { body(start..<position) }
      isBegun = true
      start = position
    }
    if isBegun, position > start { body(start..<position) }
  }
}

/// A packet of Opus. Its first byte gives its duration.
enum OpusPacket {
  /// The longest duration of one packet: 120 ms.
  static let longestMicroseconds: UInt64 = 120_000

  static func microseconds(_ bytes: Span<UInt8>, _ packet: Range<Int>) -> UInt64 {
    guard !packet.isEmpty, let first = bytes.byte(at: packet.lowerBound) else {
      return longestMicroseconds
    }
    let configuration = Int(first >> 3)
    let frame: UInt64 =
      switch configuration {
      case ..<12: [10_000, 20_000, 40_000, 60_000][configuration & 3]
      case ..<16: [10_000, 20_000][configuration & 1]
      default: [2_500, 5_000, 10_000, 20_000][configuration & 3]
      }
    let frames: UInt64
    switch first & 3 {
    case 0: frames = 1
    case 1, 2: frames = 2
    default:
      guard packet.count > 1, let count = bytes.byte(at: packet.lowerBound + 1) else {
        return longestMicroseconds
      }
      frames = UInt64(count & 63)
    }
    return min(frame * frames, longestMicroseconds)
  }
}

/// The first header of Vorbis: the sample rate, and the size of the longest block.
struct VorbisHeader {
  let microsecondsPerPacket: UInt64

  /// The largest size of a block, as a power of two.
  private static let largestBlock: UInt8 = 13

  init?(_ bytes: Span<UInt8>, at start: Int) {
    guard let rate = bytes.littleEndian(at: start + 12, count: 4) else { return nil }
    let sizes = bytes.byte(at: start + 28)
    let largest = sizes.map { min(max($0 >> 4, $0 & 15), Self.largestBlock) } ?? Self.largestBlock
    // Each block overlaps the next by a half.
    guard let packet = TickCount(1 << UInt64(largest) / 2, perSecond: rate) else { return nil }
    microsecondsPerPacket = packet.microseconds
  }
}
