/// RIFF/WAVE: chunks, of which `fmt ` tells the bytes a second and `data` has the sound.
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
        // Who writes to a pipe doesn't know the size, and states none or the largest.
        let rest = UInt64(bytes.count - content)
        return TickCount(size == 0 ? rest : min(size, rest), perSecond: bytesPerSecond)
      }
      position = next(content, size)
    }
    return nil
  }

  /// The most that all bytes behind the first `data` can last.
  ///
  /// The bytes a second that `fmt ` states are ignored, as decoders do: they follow from rate,
  /// channels and codec. The size of `data` is ignored, too: decoders go on behind it.
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
  /// A file has one; which of several a decoder takes isn't known.
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

  /// The codec stands in an extension where the first field has this value.
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

  /// The most that the bytes from `start` on can last; nil for a codec that isn't known.
  func boundMicroseconds(_ bytes: Span<UInt8>, from start: Int) -> UInt64? {
    let size = UInt64(bytes.count - start)
    switch codec {
    case 1, 3, 6, 7:
      // PCM in integers or floats, A-law and µ-law: whole samples, side by side.
      let bytesPerSample = codec > 3 ? 1 : max(1, (bitsPerSample + 7) / 8)
      let frame = min(channels * bytesPerSample, blockBytes == 0 ? .max : blockBytes)
      guard let stated = TickCount(size, perSecond: rate * frame)?.microseconds ?? none(size),
        let coded = CodedFrames.boundMicroseconds(bytes, from: start)
      else { return nil }
      return max(stated, coded)
    case 2, 0x11, 0x45, 0x64:
      // ADPCM has 2 bits a sample at least.
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

  /// Nothing lasts no time; something without a rate lasts nobody knows how long.
  private func none(_ size: UInt64) -> UInt64? { size == 0 ? 0 : nil }
}
