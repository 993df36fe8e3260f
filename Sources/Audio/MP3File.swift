/// MPEG audio of the layers I to III: frames that each state their own length. The reader counts
/// all frames, so a variable bit rate needs no guess, and a false summary at the beginning has no
/// effect.
enum MP3File {
  static func duration(_ bytes: Span<UInt8>, from start: Int) -> TickCount? {
    var position = start
    var samples: UInt64 = 0
    var rate: UInt64 = 0
    var isInStep = false
    while position + 4 <= bytes.count {
      guard bytes[position] == 0xFF, let frame = MP3Frame(bytes, at: position),
        isInStep || frame.isFollowed(in: bytes, at: position)
      else {
        isInStep = false
        position += 1
        continue
      }
      isInStep = true
      if rate == 0 { rate = frame.sampleRate }
      // If the rate changes midway, samples are converted to the first rate.
      samples += frame.samples * rate / frame.sampleRate
      position += frame.length
    }
    return TickCount(samples, perSecond: rate)
  }
}

/// The header of one frame.
struct MP3Frame {
  let sampleRate: UInt64
  let samples: UInt64
  let length: Int

  init?(_ bytes: Span<UInt8>, at position: Int) {
    guard bytes.byte(at: position) == 0xFF, let header = bytes.bigEndian(at: position, count: 4),
      header >> 21 == 0x7FF
    else { return nil }
    let version = header >> 19 & 3
    let layer = 4 - Int(header >> 17 & 3)
    let rateIndex = Int(header >> 10 & 3)
    let bitRateIndex = Int(header >> 12 & 15)
    guard version != 1, layer < 4, rateIndex < 3, (1...14).contains(bitRateIndex) else {
      return nil
    }
    let isFirstVersion = version == 3
    // MPEG-2 halves the rates; MPEG-2.5 halves them again.
    sampleRate = Self.rates[rateIndex] >> (isFirstVersion ? 0 : version == 2 ? 1 : 2)
    samples = layer == 1 ? 384 : layer == 3 && !isFirstVersion ? 576 : 1152
    let table = isFirstVersion ? layer - 1 : layer == 1 ? 3 : 4
    let bitsPerSecond = Self.kilobits[table][bitRateIndex - 1] * 1000
    let padding = header >> 9 & 1
    let size =
      layer == 1
      ? (12 * bitsPerSecond / sampleRate + padding) * 4
      : samples / 8 * bitsPerSecond / sampleRate + padding
    length = Int(size)
  }

  /// Whether another frame, or the end of the bytes, follows this one. Two bytes alone can look
  /// like a header by chance.
  func isFollowed(in bytes: Span<UInt8>, at position: Int) -> Bool {
    let next = position + length
    return next == bytes.count || MP3Frame(bytes, at: next) != nil
  }

  private static let rates: [UInt64] = [44_100, 48_000, 32_000]
  /// Kilobits a second, by index: MPEG-1 layers I, II, III; MPEG-2 layer I, then its layers II and
  /// III.
  private static let kilobits: [[UInt64]] = [
    [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ]
}

/// The ID3 tag that can precede a sound. It holds names and pictures.
enum ID3Tag {
  /// The offset behind the tag; 0 if there is none.
  static func end(_ bytes: Span<UInt8>) -> Int {
    guard bytes.hasText("ID3", at: 0), let flags = bytes.byte(at: 5),
      let coded = bytes.bigEndian(at: 6, count: 4)
    else { return 0 }
    // Each byte holds seven bits of the size.
    let size =
      coded & 0x7F | (coded >> 8 & 0x7F) << 7 | (coded >> 16 & 0x7F) << 14
      | (coded >> 24 & 0x7F) << 21
    let hasFooter = flags & 0x10 != 0
    return 10 + Int(size) + (hasFooter ? 10 : 0)
  }

  /// The offset behind the last of consecutive tags at the beginning; 0 if there is none.
  static func endOfAll(_ bytes: Span<UInt8>) -> Int {
    var position = 0
    while position < bytes.count {
      let length = end(bytes.extracting(position...))
      guard length > 0 else { break }
      position += length
    }
    return min(position, bytes.count)
  }
}
