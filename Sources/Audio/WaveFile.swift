/// RIFF/WAVE files: a row of chunks. `fmt ` states the bytes a second, and `data` has the sound.
enum WaveFile {
  static func duration(_ bytes: Span<UInt8>) -> TickCount? {
    var bytesPerSecond: UInt64?
    var position = firstChunk
    while let size = bytes.littleEndian(at: position + 4, count: 4) {
      let content = position + 8
      if bytes.hasText("fmt ", at: position) {
        bytesPerSecond = bytes.littleEndian(at: content + 8, count: 4)
      } else if bytes.hasText("data", at: position) {
        guard let bytesPerSecond else { return nil }
        // A program that writes to a pipe doesn't know the size: it states 0 or the largest number.
        let rest = UInt64(bytes.count - content)
        return TickCount(size == 0 ? rest : min(size, rest), perSecond: bytesPerSecond)
      }
      position = next(content, size)
    }
    return nil
  }

  /// The most microseconds that all bytes behind the first `data` can last; nil for an unknown
  /// codec.
  ///
  /// The reader ignores the bytes a second that `fmt ` states, as decoders do: they follow from
  /// rate, channels and codec. It also ignores the size of `data`, because decoders go on behind
  /// it.
  static func boundMicroseconds(_ bytes: Span<UInt8>) -> UInt64? {
    var longest: UInt64 = 0
    var formats: [WaveFormat] = []
    var position = firstChunk
    while let size = bytes.littleEndian(at: position + 4, count: 4) {
      let content = position + 8
      if bytes.hasText("fmt ", at: position) {
        guard formats.count < mostFormats else { return nil }
        formats.append(WaveFormat(bytes, at: content))
      } else if bytes.hasText("data", at: position) {
        for format in formats {
          guard let duration = format.boundMicroseconds(bytes, from: content) else { return nil }
          longest = max(longest, duration)
        }
        return formats.isEmpty ? nil : longest
      }
      position = next(content, size)
    }
    return nil
  }

  private static let firstChunk = 12
  /// The most `fmt ` chunks that the reader takes. A file has one; if there are several, decoders
  /// differ in their choice, so the longest duration counts.
  private static let mostFormats = 4

  /// Chunks begin at even positions.
  private static func next(_ content: Int, _ size: UInt64) -> Int {
    content + Int(size) + Int(size & 1)
  }
}

/// The chunk `fmt ` of a WAV file.
private struct WaveFormat {
  private let codec: UInt64
  private let channels: UInt64
  private let rate: UInt64
  private let blockBytes: UInt64
  private let bitsPerSample: UInt64

  /// The first field's value for a codec that stands in an extension.
  private static let extensible: UInt64 = 0xFFFE

  init(_ bytes: Span<UInt8>, at content: Int) {
    let stated = bytes.littleEndian(at: content, count: 2) ?? 0
    codec =
      stated == WaveFormat.extensible
      ? bytes.littleEndian(at: content + 24, count: 2) ?? 0 : stated
    channels = max(1, bytes.littleEndian(at: content + 2, count: 2) ?? 1)
    rate = bytes.littleEndian(at: content + 4, count: 4) ?? 0
    blockBytes = bytes.littleEndian(at: content + 12, count: 2) ?? 0
    bitsPerSample = bytes.littleEndian(at: content + 14, count: 2) ?? 0
  }

  /// The most microseconds that the bytes from `start` on can last; nil for an unknown codec.
  func boundMicroseconds(_ bytes: Span<UInt8>, from start: Int) -> UInt64? {
    let size = UInt64(bytes.count - start)
    switch codec {
    case 1, 3, 6, 7:
      // PCM in integers or floats, A-law and µ-law: whole samples of all channels, side by side.
      let bytesPerSample = codec > 3 ? 1 : max(1, (bitsPerSample + 7) / 8)
      let frame = min(channels * bytesPerSample, blockBytes == 0 ? .max : blockBytes)
      guard let stated = TickCount(size, perSecond: rate * frame)?.microseconds ?? none(size),
        let coded = CodedFrames.boundMicroseconds(bytes, from: start)
      else { return nil }
      return max(stated, coded)
    case 2, 0x11, 0x45, 0x64:
      // ADPCM has at least 2 bits a sample.
      return TickCount(size * 4, perSecond: rate * channels)?.microseconds ?? none(size)
    case 0x31:
      // GSM 6.10 has 65 bytes for 320 samples.
      return TickCount(size * 320, perSecond: rate * 65)?.microseconds ?? none(size)
    case 0x50, 0x55:
      return AudioFrames.longestChain(bytes)
    default:
      return nil
    }
  }

  /// The duration of `size` bytes without a rate: 0 if there are no bytes, else nil.
  private func none(_ size: UInt64) -> UInt64? { size == 0 ? 0 : nil }
}
