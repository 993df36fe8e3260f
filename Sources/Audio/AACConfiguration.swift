/// The beginning of an AudioSpecificConfig, which tells a decoder of AAC how frames are made.
struct AACConfiguration {
  /// The duration of one frame, in microseconds.
  let microsecondsPerFrame: UInt64

  /// Samples of a frame of AAC, at the rate of its core. The parts that widen the spectrum double
  /// both samples and rate.
  static let samplesPerFrame: UInt64 = 1024
  /// Samples of the longest frame of USAC.
  private static let longestUSACFrame: UInt64 = 4096
  /// The object types of AAC whose frames have at most `samplesPerFrame` samples.
  private static let plainTypes: Set<UInt64> = [1, 2, 3, 4, 5, 6, 17, 19, 20, 23, 29, 39]
  private static let usac: UInt64 = 42

  /// Nil for other kinds of sound, and for a sample rate that the format doesn't have.
  init?(_ bytes: Span<UInt8>, at position: Int) {
    var bits = BitReader(bytes, at: position)
    var type = bits.read(5)
    if type == 31 { type = 32 + bits.read(6) }
    let index = bits.read(4)
    let rate = index == 15 ? bits.read(24) : AACConfiguration.rate(index: index) ?? 0
    guard !bits.isBeyondEnd,
      AACConfiguration.plainTypes.contains(type) || type == AACConfiguration.usac,
      let duration = TickCount(
        type == AACConfiguration.usac
          ? AACConfiguration.longestUSACFrame : AACConfiguration.samplesPerFrame,
        perSecond: rate)
    else { return nil }
    microsecondsPerFrame = duration.microseconds
  }

  /// The sample rate in hertz that an index stands for; nil for an index without a rate.
  static func rate(index: UInt64) -> UInt64? {
    index < rates.count ? rates[Int(index)] : nil
  }

  private static let rates: [UInt64] = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
    7_350,
  ]
}

/// Reads numbers of a few bits each from the first eight bytes at a position.
private struct BitReader {
  private var bits: UInt64 = 0
  private var left: Int
  private(set) var isBeyondEnd = false

  init(_ bytes: Span<UInt8>, at position: Int) {
    let available = max(0, min(8, bytes.count - position))
    left = available * 8
    guard let read = bytes.bigEndian(at: position, count: available), available > 0 else { return }
    bits = read << UInt64(64 - left)
  }

  mutating func read(_ count: Int) -> UInt64 {
    isBeyondEnd = isBeyondEnd || count > left
    defer {
      bits <<= UInt64(count)
      left -= count
    }
    return bits >> UInt64(64 - count)
  }
}
