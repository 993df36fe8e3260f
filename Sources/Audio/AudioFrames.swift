/// Files that are frames and nothing else: MPEG audio (MP3), and AAC with ADTS headers. Each frame
/// states its own length and duration.
enum AudioFrames {
  /// The number of frames that a file must begin with before it is taken for frames. Decoders
  /// recognize a format the same way: after seven frames none of them looks for another format.
  private static let firstFrames = 7
  /// Longer than any frame, in bytes: the length in an ADTS header has 13 bits.
  private static let window = 1 << 13

  /// The most microseconds that a decoder can make of the frames: the longest chain of frames that
  /// don't overlap, at any position. Nil for a file that doesn't begin with frames.
  ///
  /// A decoder takes each frame once and goes on behind it. Where a header is wrong, it looks for
  /// the next frame. The frames that it finds are always such a chain.
  static func boundMicroseconds(_ bytes: Span<UInt8>, from start: Int) -> UInt64? {
    var start = start
    while bytes.byte(at: start) == 0 { start += 1 }
    guard begins(bytes, at: start) else { return nil }
    return longestChain(bytes)
  }

  /// The longest chain of frames in any bytes, in microseconds.
  static func longestChain(_ bytes: Span<UInt8>) -> UInt64 {
    // For each position ahead, the longest duration of a chain that ends there.
    var ahead = [UInt64](repeating: 0, count: window)
    var longest: UInt64 = 0
    var toTheEnd: UInt64 = 0
    for position in bytes.indices {
      let place = position & (window - 1)
      if ahead[place] > 0 {
        longest = max(longest, ahead[place])
        ahead[place] = 0
      }
      guard bytes[position] == 0xFF, let frame = AudioFrame(bytes, at: position) else { continue }
      let duration = longest + frame.microseconds
      if frame.length > bytes.count - position {
        toTheEnd = max(toTheEnd, duration)
      } else {
        let end = (position + frame.length) & (window - 1)
        ahead[end] = max(ahead[end], duration)
      }
    }
    let last = ahead[bytes.count & (window - 1)]
    return max(longest, max(toTheEnd, last))
  }

  /// Whether frames of one kind follow each other from `start` on.
  private static func begins(_ bytes: Span<UInt8>, at start: Int) -> Bool {
    guard let first = AudioFrame(bytes, at: start) else { return false }
    var position = start
    for _ in 0..<firstFrames {
      guard let frame = AudioFrame(bytes, at: position), frame.isLike(first) else {
        return position == bytes.count || bytes.hasText("TAG", at: position)
      }
      guard frame.length <= bytes.count - position else { return true }
      position += frame.length
    }
    return true
  }
}

/// One frame of MPEG audio or of AAC.
struct AudioFrame {
  let length: Int
  let microseconds: UInt64
  private let rate: UInt64
  private let isAAC: Bool

  init?(_ bytes: Span<UInt8>, at position: Int) {
    let samples: UInt64
    if let frame = MP3Frame(bytes, at: position) {
      (length, samples, rate, isAAC) = (frame.length, frame.samples, frame.sampleRate, false)
    } else if let frame = ADTSFrame(bytes, at: position) {
      (length, samples, rate, isAAC) = (frame.length, frame.samples, frame.rate, true)
    } else {
      return nil
    }
    microseconds = TickCount(samples, perSecond: rate)?.microseconds ?? 0
  }

  func isLike(_ other: AudioFrame) -> Bool {
    rate == other.rate && isAAC == other.isAAC
  }
}

/// The header of a frame of AAC outside a container.
struct ADTSFrame {
  let length: Int
  let rate: UInt64
  let samples: UInt64

  private static let shortestHeader = 7

  init?(_ bytes: Span<UInt8>, at position: Int) {
    guard bytes.byte(at: position) == 0xFF,
      let header = bytes.bigEndian(at: position, count: 7), header >> 44 == 0xFFF,
      header >> 41 & 3 == 0,
      let rate = AACConfiguration.rate(index: header >> 34 & 15)
    else { return nil }
    length = Int(header >> 13 & 0x1FFF)
    guard length >= ADTSFrame.shortestHeader else { return nil }
    self.rate = rate
    samples = ((header & 3) + 1) * AACConfiguration.samplesPerFrame
  }
}

/// Reads from the bytes of a file. A position beyond the end gives nil or false, never a trap.
extension Span where Element == UInt8 {
  func byte(at index: Int) -> UInt8? {
    indices.contains(index) ? self[index] : nil
  }

  /// An unsigned number of 1 to 8 bytes, the most significant first; nil beyond the end.
  func bigEndian(at index: Int, count: Int) -> UInt64? {
    guard has(index, count) else { return nil }
    var value: UInt64 = 0
    for offset in 0..<count { value = value << 8 | UInt64(self[index + offset]) }
    return value
  }

  /// An unsigned number of 1 to 8 bytes, the least significant first; nil beyond the end.
  func littleEndian(at index: Int, count: Int) -> UInt64? {
    bigEndian(at: index, count: count).map { $0.byteSwapped >> UInt64(64 - 8 * count) }
  }

  func hasText(_ text: StaticString, at index: Int) -> Bool {
    guard has(index, text.utf8CodeUnitCount) else { return false }
    for offset in 0..<text.utf8CodeUnitCount
    where self[index + offset] != text.utf8Start[offset] {
      return false
    }
    return true
  }

  private func has(_ index: Int, _ count: Int) -> Bool {
    index >= 0 && index <= self.count - count
  }
}
