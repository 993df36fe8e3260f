/// FLAC files. The first block, STREAMINFO, has the sample rate and the number of samples; each
/// frame also states its own number of samples.
enum FLACFile {
  /// - Parameter position: the offset behind `fLaC`, where the first block begins.
  static func duration(_ bytes: Span<UInt8>, at position: Int) -> TickCount? {
    guard let rate = statedRate(bytes, at: position),
      let numbers = bytes.bigEndian(at: position + 4 + 10, count: 8)
    else { return nil }
    // 20 bits of rate, 3 of channels, 5 of depth, 36 of samples; zero samples: unknown.
    return TickCount(numbers & 0xF_FFFF_FFFF, perSecond: rate)
  }

  /// The most microseconds that the frames can last: the sum over all headers of frames, at any
  /// position. Nil if a frame has no rate.
  ///
  /// A decoder needs a header with a valid checksum for every frame, so a search at every byte
  /// finds all frames that a decoder can find. Other data looks like a header about once in 16
  /// million bytes.
  static func boundMicroseconds(_ bytes: Span<UInt8>, at position: Int) -> UInt64? {
    statedRate(bytes, at: position).flatMap { boundMicroseconds(bytes, statedRate: $0) }
  }

  /// - Parameter rate: The rate of frames that refer to STREAMINFO.
  static func boundMicroseconds(_ bytes: Span<UInt8>, statedRate rate: UInt64) -> UInt64? {
    var total: UInt64 = 0
    for start in bytes.indices where bytes[start] == 0xFF {
      guard let frame = FLACFrame(bytes, at: start) else { continue }
      guard let duration = frame.microseconds(statedRate: rate) else { return nil }
      total = total.addingSaturated(duration)
    }
    return total
  }

  static func statedRate(_ bytes: Span<UInt8>, at position: Int) -> UInt64? {
    let isStreamInfo = bytes.byte(at: position).map { $0 & 0x7F == 0 } ?? false
    return isStreamInfo ? sampleRate(bytes, streamInfo: position + 4) : nil
  }

  static func sampleRate(_ bytes: Span<UInt8>, streamInfo: Int) -> UInt64? {
    bytes.bigEndian(at: streamInfo + 10, count: 3).map { $0 >> 4 }
  }
}

/// The header of one frame of FLAC. A checksum ends it.
struct FLACFrame {
  let samples: UInt64
  /// In hertz; nil if the frame refers to STREAMINFO.
  let rate: UInt64?

  init?(_ bytes: Span<UInt8>, at start: Int) {
    guard let header = bytes.bigEndian(at: start, count: 4), header >> 17 == 0x7FFC,
      header & 1 == 0, header >> 4 & 15 <= 10,
      let numberLength = FLACFrame.numberLength(bytes, at: start + 4)
    else { return nil }
    var position = start + 4 + numberLength
    guard let samples = FLACFrame.samples(header >> 12 & 15, bytes, &position),
      let rate = FLACFrame.rate(header >> 8 & 15, bytes, &position),
      let checksum = bytes.byte(at: position),
      checksum == FLACFrame.checksum(bytes, start..<position)
    else { return nil }
    self.samples = samples
    self.rate = rate == 0 ? nil : rate
  }

  /// The frame's duration at the slower of its own rate and the file's; nil if both are zero.
  func microseconds(statedRate: UInt64) -> UInt64? {
    let rates = [rate ?? 0, statedRate].filter { $0 > 0 }
    return rates.min().flatMap { TickCount(samples, perSecond: $0)?.microseconds }
  }

  /// The number of bytes of a number in the form of a UTF-8 character; nil for any other form.
  private static func numberLength(_ bytes: Span<UInt8>, at position: Int) -> Int? {
    guard let first = bytes.byte(at: position) else { return nil }
    let ones = (~first).leadingZeroBitCount
    guard ones != 1, ones < 8 else { return nil }
    let length = max(1, ones)
    for index in position + 1..<position + length {
      guard let byte = bytes.byte(at: index), byte >> 6 == 2 else { return nil }
    }
    return length
  }

  private static func samples(
    _ code: UInt64, _ bytes: Span<UInt8>, _ position: inout Int
  ) -> UInt64? {
    switch code {
    case 0: return nil
    case 1: return 192
    case 2...5: return 576 << (code - 2)
    case 6: return number(bytes, &position, count: 1).map { $0 + 1 }
    case 7: return number(bytes, &position, count: 2).map { $0 + 1 }
    default: return 256 << (code - 8)
    }
  }

  /// The frame's rate in hertz; 0 if the code refers to STREAMINFO, nil for a code that isn't
  /// valid.
  private static func rate(
    _ code: UInt64, _ bytes: Span<UInt8>, _ position: inout Int
  ) -> UInt64? {
    switch code {
    case 0: 0
    case 12: number(bytes, &position, count: 1).map { $0 * 1000 }
    case 13: number(bytes, &position, count: 2)
    case 14: number(bytes, &position, count: 2).map { $0 * 10 }
    case 15: nil
    default: rates[Int(code) - 1]
    }
  }

  private static func number(
    _ bytes: Span<UInt8>, _ position: inout Int, count: Int
  ) -> UInt64? {
    defer { position += count }
    return bytes.bigEndian(at: position, count: count)
  }

  private static let rates: [UInt64] = [
    88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
  ]

  /// CRC-8 with the polynomial x⁸ + x² + x + 1.
  private static func checksum(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt8 {
    var value: UInt8 = 0
    for index in range {
      value ^= bytes[index]
      for _ in 0..<8 { value = value & 0x80 != 0 ? value << 1 ^ 7 : value << 1 }
    }
    return value
  }
}
