/// The smallest files of each format that have a duration.
enum SampleFile {
  static let all: [[UInt8]] = [
    wave(bytes: 64, perSecond: 8000), flac(rate: 16_000, samples: 16_000), mp3(frames: 3),
    opus(serial: 7, samples: 48_000, skipped: 312), mp4(duration: 1000, scale: 1000),
    mp4(duration: 0, scale: 1000, isLong: true, fragments: 9), webM(duration: 100),
    webM(duration: nil), id3(size: 20) + mp3(frames: 3),
  ]

  static func wave(bytes: Int, perSecond: UInt32, stated: UInt32? = nil) -> [UInt8] {
    text("RIFF") + little(0, 4) + text("WAVE")
      + text("LIST") + little(3, 4) + [1, 2, 3, 0]
      + text("fmt ") + little(16, 4) + little(1, 2) + little(1, 2)
      + little(UInt64(perSecond) / 2, 4) + little(UInt64(perSecond), 4) + little(2, 2)
      + little(16, 2)
      + text("data") + little(UInt64(stated ?? UInt32(bytes)), 4)
      + [UInt8](repeating: 0, count: bytes)
  }

  static func flac(rate: UInt64, samples: UInt64) -> [UInt8] {
    text("fLaC") + [0x80] + big(34, 3) + [UInt8](repeating: 0, count: 10)
      + big(rate << 44 | 1 << 41 | 15 << 36 | samples, 8) + [UInt8](repeating: 0, count: 16)
  }

  static func id3(size: Int) -> [UInt8] {
    text("ID3") + [4, 0, 0, 0, 0, UInt8(size >> 7), UInt8(size & 0x7F)]
      + [UInt8](repeating: 0, count: size)
  }

  /// MPEG-1 layer III, 128 kbit/s, 44.1 kHz: 417 bytes a frame.
  static func mp3(frames: Int) -> [UInt8] {
    let frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 413)
    return Array(repeatElement(frame, count: frames).joined())
  }

  static func opus(serial: UInt64, samples: UInt64, skipped: UInt64) -> [UInt8] {
    let head = text("OpusHead") + [1, 1] + little(skipped, 2) + little(48_000, 4) + [0, 0, 0]
    return page(flags: 2, position: 0, serial, head)
      + page(flags: 0, position: samples / 2, serial, [1, 2, 3])
      + page(flags: 4, position: samples, serial, [4, 5])
  }

  static func vorbis(serial: UInt64, rate: UInt64, samples: UInt64) -> [UInt8] {
    let head = [1] + text("vorbis") + little(0, 4) + [1] + little(rate, 4)
    return page(flags: 2, position: 0, serial, head) + page(flags: 4, position: samples, serial, [])
  }

  private static func page(
    flags: UInt8, position: UInt64, _ serial: UInt64, _ content: [UInt8]
  ) -> [UInt8] {
    text("OggS") + [0, flags] + little(position, 8) + little(serial, 4) + little(0, 8)
      + [1, UInt8(content.count)] + content
  }

  static func mp4(
    duration: UInt64, scale: UInt64, isLong: Bool = false, fragments: UInt64? = nil
  ) -> [UInt8] {
    let width = isLong ? 8 : 4
    let version: [UInt8] = [isLong ? 1 : 0, 0, 0, 0]
    let header =
      version + big(0, 2 * width) + big(scale, 4) + big(duration, width)
    var movie = box("mvhd", header)
    if let fragments { movie += box("mvex", box("mehd", version + big(fragments, width))) }
    return box("ftyp", text("M4A ")) + box("mdat", [1, 2, 3]) + box("moov", movie)
  }

  private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    big(UInt64(content.count + 8), 4) + text(type) + content
  }

  /// With a duration in its head; or as browsers record: a segment and clusters of unknown size.
  static func webM(duration: Double?) -> [UInt8] {
    let head = element([0x1A, 0x45, 0xDF, 0xA3], [0x42, 0x86, 0x81, 1])
    var info = element([0x2A, 0xD7, 0xB1], big(1_000_000, 3))
    if let duration { info += element([0x44, 0x89], big(duration.bitPattern, 8)) }
    let segment: [UInt8] = [0x18, 0x53, 0x80, 0x67, 0x01] + [UInt8](repeating: 0xFF, count: 7)
    let cluster: [UInt8] = [0x1F, 0x43, 0xB6, 0x75, 0xFF]
    return head + segment + element([0x15, 0x49, 0xA9, 0x66], info)
      + cluster + element([0xE7], big(5000, 2))
      + element([0xA3], [0x81, 0, 0, 0, 9]) + element([0xA3], [0x81, 0, 30, 0, 9])
  }

  private static func element(_ id: [UInt8], _ content: [UInt8]) -> [UInt8] {
    id + [0x80 | UInt8(content.count)] + content
  }

  private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

  private static func big(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) : 0 }
  }

  private static func little(_ value: UInt64, _ count: Int) -> [UInt8] {
    big(value, count).reversed()
  }
}
