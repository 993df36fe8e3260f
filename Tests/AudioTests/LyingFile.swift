import Testing

/// A file whose header states a moment, and whose frames last longer.
struct LyingFile: Sendable, CustomTestStringConvertible {
  let name: String
  let bytes: [UInt8]
  /// The duration of the sound that a decoder makes of it.
  let milliseconds: Int64
  /// How many times as long the bound may be.
  var slack: Int64 = 1

  var testDescription: String { name }

  static let all: [LyingFile] = [
    LyingFile(
      name: "WAV with another byte rate",
      bytes: wave(codec: 1, rate: 8000, bits: 8, byteRate: 8_000_000, data: 800_000),
      milliseconds: 100_000),
    LyingFile(
      name: "WAV with a short data chunk",
      bytes: wave(codec: 1, rate: 8000, bits: 8, byteRate: 8000, data: 800_000, stated: 8),
      milliseconds: 100_000),
    LyingFile(
      name: "WAV with a larger block",
      bytes: wave(codec: 1, rate: 8000, bits: 8, byteRate: 8_000_000, block: 1000, data: 800_000),
      milliseconds: 100_000),
    LyingFile(
      name: "WAV with GSM 6.10",
      bytes: wave(codec: 0x31, rate: 8000, bits: 0, byteRate: 8_000_000, data: 65_000),
      milliseconds: 40_000),
    LyingFile(
      name: "WAV with ADPCM",
      bytes: wave(codec: 0x11, rate: 8000, bits: 4, byteRate: 8_000_000, data: 40_000),
      milliseconds: 10_000, slack: 2),
    LyingFile(
      name: "WAV with MP3",
      bytes: wave(codec: 0x55, rate: 44_100, bits: 0, byteRate: 8_000_000)
        + SampleFile.mp3(frames: 100),
      milliseconds: 2613),
    LyingFile(
      name: "WAV that states PCM and has MP3", bytes: pcm(SampleFile.mp3(frames: 100)),
      milliseconds: 2613),
    LyingFile(
      name: "WAV that states PCM and has ADTS",
      bytes: pcm([UInt8]((0..<100).flatMap { _ in adts(index: 11) })), milliseconds: 12_800),
    LyingFile(
      name: "WAV that states PCM and has AC-3", bytes: pcm(repeated([0x0B, 0x77], 100)),
      milliseconds: 19_200),
    LyingFile(
      name: "WAV that states PCM and has AC-3 with bytes swapped",
      bytes: pcm(repeated([0x77, 0x0B], 100)), milliseconds: 19_200),
    LyingFile(
      name: "WAV with an extended format",
      bytes: wave(
        codec: 1, rate: 8000, bits: 8, byteRate: 8_000_000, data: 800_000, isExtended: true),
      milliseconds: 100_000),
    LyingFile(
      name: "FLAC with one sample",
      bytes: SampleFile.flac(rate: 8000, samples: 1) + flacFrames(100, rateCode: 0),
      milliseconds: 819_200),
    LyingFile(
      name: "FLAC with another rate in its frames",
      bytes: SampleFile.flac(rate: 96_000, samples: 1) + flacFrames(100, rateCode: 4),
      milliseconds: 819_200),
    LyingFile(
      name: "FLAC whose header states a slower rate than its frames",
      bytes: SampleFile.flac(rate: 8000, samples: 1) + flacFrames(100, rateCode: 11),
      milliseconds: 819_200),
    LyingFile(name: "Ogg with Opus", bytes: ogg(opusHead, packets), milliseconds: 60_000),
    LyingFile(
      name: "Ogg with a page in a page",
      bytes: ogg(opusHead, []) + page(flags: 0, [ogg(opusHead, packets)]),
      milliseconds: 60_000),
    LyingFile(
      name: "Ogg with pages behind garbage",
      bytes: ogg(opusHead, []) + [1, 2, 3] + ogg(opusHead, packets), milliseconds: 60_000),
    LyingFile(
      name: "Ogg whose stream begins again in silence",
      bytes: page(flags: 2, [opusHead]) + page(flags: 2, [text("fishead\0")])
        + pages(packets),
      milliseconds: 60_000),
    LyingFile(
      name: "Ogg with Vorbis", bytes: ogg(vorbisHead, packets), milliseconds: 128_000),
    LyingFile(name: "Ogg with Speex", bytes: ogg(speexHead, packets), milliseconds: 80_000),
    LyingFile(
      name: "Ogg with FLAC",
      bytes: ogg(
        [0x7F] + text("FLAC") + [1, 0, 0, 1] + SampleFile.flac(rate: 8000, samples: 1),
        [[UInt8]](repeating: flacFrames(1, rateCode: 0), count: 10)),
      milliseconds: 81_920),
    LyingFile(name: "MP4", bytes: mp4(table("stsz", 1000)), milliseconds: 128_000),
    LyingFile(
      name: "MP4 with its table in a free box",
      bytes: mp4(box("free", table("stsz", 1000))), milliseconds: 128_000),
    LyingFile(
      name: "MP4 with compact sizes", bytes: mp4(table("stz2", 1000)), milliseconds: 128_000),
    LyingFile(
      name: "MP4 in fragments",
      bytes: mp4([]) + box("moof", box("traf", box("trun", big(0, 4) + big(1000, 4)))),
      milliseconds: 128_000),
    LyingFile(
      name: "MP4 with frames of ADTS",
      bytes: mp4(table("stsz", 1000), aacIndex: 0)
        + box("mdat", [UInt8]((0..<1000).flatMap { _ in adts(index: 11) })),
      milliseconds: 128_000),
    LyingFile(
      name: "MP4 that plays its samples 500 times",
      bytes: mp4(edits([UInt64](repeating: 0, count: 500)) + table("stsz", 10)),
      milliseconds: 640_000),
    LyingFile(
      name: "MP4 whose list of edits is longer than it states",
      bytes: mp4(edits([UInt64](repeating: 0, count: 500), stated: 1) + table("stsz", 10)),
      milliseconds: 640_000),
    LyingFile(
      name: "MP4 with long edits",
      bytes: mp4(
        box("free", edits([UInt64](repeating: 0, count: 500), width: 8)) + table("stsz", 10)),
      milliseconds: 640_000),
    LyingFile(
      name: "MP4 with empty edits behind the first",
      bytes: mp4(edits([0] + [UInt64](repeating: .max, count: 499)) + table("stsz", 10)),
      milliseconds: 640_000),
    LyingFile(
      name: "MP4 that begins with an empty edit",
      bytes: mp4(edits([.max, 0], ticks: 10_000) + table("stsz", 10)), milliseconds: 11_280),
    LyingFile(
      name: "WAV with an empty data chunk before FLAC",
      bytes: pcm([]) + SampleFile.flac(rate: 8000, samples: 1) + flacFrames(100, rateCode: 0),
      milliseconds: 819_200),
    LyingFile(
      name: "WAV with an empty data chunk before Ogg", bytes: pcm([]) + ogg(opusHead, packets),
      milliseconds: 60_000),
    LyingFile(
      name: "MP3 frames before FLAC",
      bytes: SampleFile.mp3(frames: 10) + SampleFile.flac(rate: 8000, samples: 1)
        + flacFrames(100, rateCode: 0), milliseconds: 819_200),
    LyingFile(
      name: "MP4 before Ogg", bytes: mp4(table("stsz", 10)) + ogg(opusHead, packets),
      milliseconds: 60_000),
    LyingFile(name: "WebM", bytes: webM(codec: "A_OPUS"), milliseconds: 60_000),
    LyingFile(
      name: "WebM with lacing", bytes: webM(codec: "A_OPUS", lacing: 1), milliseconds: 120_000,
      slack: 2),
    LyingFile(
      name: "AAC in frames of ADTS",
      bytes: [UInt8]((0..<1000).flatMap { _ in adts(index: 11) }), milliseconds: 128_000),
    LyingFile(
      name: "MP3 with frames in garbage",
      bytes: SampleFile.mp3(frames: 10)
        + [UInt8]((0..<90).flatMap { _ in [1, 2, 3] + SampleFile.mp3(frames: 1) }),
      milliseconds: 2613),
  ]

  // MARK: WAV and FLAC

  static func wave(
    codec: UInt64, rate: UInt64, bits: UInt64, byteRate: UInt64, block: UInt64 = 0, data: Int = 0,
    stated: UInt64? = nil, isExtended: Bool = false
  ) -> [UInt8] {
    var format =
      little(isExtended ? 0xFFFE : codec, 2) + little(1, 2) + little(rate, 4)
      + little(byteRate, 4) + little(block, 2) + little(bits, 2)
    if isExtended { format += little(22, 2) + little(0, 6) + little(codec, 2) + little(0, 14) }
    return text("RIFF") + little(0, 4) + text("WAVE")
      + text("fmt ") + little(UInt64(format.count), 4) + format
      + text("data") + little(stated ?? UInt64(data), 4) + [UInt8](repeating: 0, count: data)
  }

  /// PCM at a rate at which the data lasts a moment.
  static func pcm(_ data: [UInt8]) -> [UInt8] {
    wave(
      codec: 1, rate: 192_000, bits: 16, byteRate: 384_000, block: 2, stated: UInt64(data.count))
      + data
  }

  /// Frames of 100 bytes that begin so.
  static func repeated(_ mark: [UInt8], _ count: Int) -> [UInt8] {
    let frame = mark + [UInt8](repeating: 0, count: 100 - mark.count)
    return [UInt8]((0..<count).flatMap { _ in frame })
  }

  /// Frames of 65,536 samples of silence, of 12 bytes or so each.
  static func flacFrames(_ count: Int, rateCode: UInt8) -> [UInt8] {
    var frame: [UInt8] = [0xFF, 0xF8, 0x70 | rateCode, 0, 0, 0xFF, 0xFF]
    frame.append(checksum(frame))
    return [UInt8]((0..<count).flatMap { _ in frame + [0, 0, 0, 0] })
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt8 {
    bytes.reduce(0) { value, byte in
      (0..<8).reduce(value ^ byte) { value, _ in value & 0x80 != 0 ? value << 1 ^ 7 : value << 1 }
    }
  }

  // MARK: Ogg

  private static let opusHead =
    text("OpusHead") + [1, 1] + little(0, 2) + little(8000, 4) + [0, 0]
  /// Blocks of 2,048 samples at 8 kHz.
  private static let vorbisHead =
    [1] + text("vorbis") + little(0, 4) + [1] + little(8000, 4) + little(0, 12) + [0xB8, 1]
  /// Four frames of 20 ms in a packet.
  private static let speexHead =
    text("Speex   ") + little(0, 28) + little(8000, 4) + little(0, 16) + little(160, 4)
    + little(0, 4) + little(4, 4)
  /// A thousand packets of one byte, 60 ms of Opus each.
  private static let packets = [[UInt8]](repeating: [0x18], count: 1000)

  private static func ogg(_ head: [UInt8], _ packets: [[UInt8]]) -> [UInt8] {
    page(flags: 2, [head]) + pages(packets)
  }

  private static func pages(_ packets: [[UInt8]]) -> [UInt8] {
    stride(from: 0, to: packets.count, by: 200).flatMap { start in
      page(flags: 0, Array(packets[start..<min(start + 200, packets.count)]))
    }
  }

  private static func page(flags: UInt8, _ packets: [[UInt8]]) -> [UInt8] {
    let sizes = packets.flatMap { packet in
      [UInt8](repeating: 255, count: packet.count / 255) + [UInt8(packet.count % 255)]
    }
    return text("OggS") + [0, flags] + little(1, 8) + little(7, 4) + little(0, 8)
      + [UInt8(sizes.count)] + sizes + packets.flatMap { $0 }
  }

  // MARK: MP4 and AAC

  /// AAC at 8 kHz, where `aacIndex` is 11: 128 ms a sample.
  static func mp4(_ tables: [UInt8], aacIndex: UInt8 = 11) -> [UInt8] {
    let configuration: [UInt8] = [0x10 | aacIndex >> 1, aacIndex << 7 | 8]
    let decoder = [0x40, 0x15] + little(0, 11) + [5, 2] + configuration
    let stream = big(0, 3) + [4, UInt8(decoder.count)] + decoder
    let esds = box("esds", big(0, 4) + [3, UInt8(stream.count)] + stream)
    let entry = box("mp4a", big(1, 8) + big(0, 16) + big(48_000, 2) + big(0, 2) + esds)
    let header = box("mvhd", big(0, 12) + big(1000, 4) + big(1, 4))
    let descriptions = box("stsd", big(0, 4) + big(1, 4) + entry)
    return box("ftyp", text("M4A ")) + box("moov", header + descriptions + tables)
  }

  static func table(_ type: String, _ count: UInt64) -> [UInt8] {
    box(type, big(0, 4) + big(1, 4) + big(count, 4))
  }

  /// A list of edits, one for each time at which one begins.
  static func edits(
    _ times: [UInt64], ticks: UInt64 = 1, width: Int = 4, stated: UInt64? = nil
  ) -> [UInt8] {
    let version: UInt64 = width == 8 ? 1 << 24 : 0
    let entries = times.flatMap { big(ticks, width) + big($0, width) + big(1 << 16, 4) }
    return box("elst", big(version, 4) + big(stated ?? UInt64(times.count), 4) + entries)
  }

  static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    big(UInt64(content.count + 8), 4) + text(type) + content
  }

  private static func adts(index: UInt8) -> [UInt8] {
    [0xFF, 0xF1, 0x40 | index << 2, 0x40, 1, 0x20, 0, 0, 0]
  }

  // MARK: WebM

  /// A thousand blocks of one byte of Opus, 60 ms each; with lacing, of two.
  static func webM(codec: String, lacing: UInt8 = 0, tail: [UInt8] = []) -> [UInt8] {
    let track =
      element([0xD7], [1]) + element([0x83], [2]) + element([0x86], text(codec))
    let info = element([0x44, 0x89], big(Double(1).bitPattern, 8))
    let laces: [UInt8] = lacing > 0 ? [4, lacing, 0x18, 0x18] : [0, 0x18]
    let block = element([0xA3], [0x81, 0, 0] + laces)
    return [0x1A, 0x45, 0xDF, 0xA3, 0x80] + [0x18, 0x53, 0x80, 0x67, 0xFF]
      + element([0x15, 0x49, 0xA9, 0x66], info)
      + element([0x16, 0x54, 0xAE, 0x6B], element([0xAE], track))
      + [0x1F, 0x43, 0xB6, 0x75, 0xFF] + (0..<1000).flatMap { _ in block } + tail
  }

  private static func element(_ id: [UInt8], _ content: [UInt8]) -> [UInt8] {
    id + [0x80 | UInt8(content.count)] + content
  }

  // MARK: Numbers

  private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

  private static func big(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) : 0 }
  }

  private static func little(_ value: UInt64, _ count: Int) -> [UInt8] {
    big(value, count).reversed()
  }
}
