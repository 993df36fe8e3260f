/// The duration of a sound file, in milliseconds, without decoding it.
///
/// A file has two durations. The header states one, and the client that sends the file can write
/// any number there. The frames give the other: a decoder can't make more sound than the frames
/// hold. Catraca holds the larger of the two for a transcription. If a provider reports no
/// duration, Catraca also charges the larger.
///
/// The readers are written here because no library fits. libsndfile reads neither MP4 nor WebM,
/// which phones and browsers record. libavformat reads all six containers, but it is a large C
/// parser: it would need a process of its own, apart from the providers' keys. The readers need a
/// few fields only. In Swift a hostile file can be misread, but it can't corrupt memory. Each
/// reader walks the bytes forward.
public enum AudioDuration {
  /// The longest duration, in milliseconds: seven days. No provider takes a longer file.
  public static let longestMilliseconds: Int64 = 7 * 24 * 3600 * 1000

  /// Milliseconds that one byte can last at most in a format that no reader here knows.
  ///
  /// FLAC is the codec with the fewest bytes: 12 bytes hold 65,536 samples of silence. At 8 kHz,
  /// the lowest rate in use, they last 8.192 seconds, so one byte lasts at most 683 ms.
  public static let longestMillisecondsPerByte: Int64 = 683

  /// The duration of a file in milliseconds, rounded up, at least 1.
  ///
  /// A WAV, FLAC, Ogg, MP4 or WebM file states it in its header; an MP3 file's frames are counted.
  /// Nil for any other file, and for a header without a duration.
  public static func milliseconds(of bytes: Span<UInt8>) -> Int64? {
    let duration: TickCount? =
      switch AudioContainer(of: bytes) {
      case .wave: WaveFile.duration(bytes)
      case .ogg: OggFile.duration(bytes)
      case .mp4: MP4File.duration(bytes)
      case .webM: WebMFile.duration(bytes)
      case .flac(let start): FLACFile.duration(bytes, at: start)
      case .frames(let start): MP3File.duration(bytes, from: start)
      }
    guard let milliseconds = duration?.milliseconds, milliseconds <= longestMilliseconds else {
      return nil
    }
    return milliseconds
  }

  /// The most milliseconds that a decoder can make of these bytes, whatever their header states.
  ///
  /// Each container has its own limit, which its reader explains. Rounded up, at least 1, at most
  /// `longestMilliseconds`; nil if the codec isn't known.
  public static func boundMilliseconds(of bytes: Span<UInt8>) -> Int64? {
    let microseconds: UInt64? =
      switch AudioContainer(of: bytes) {
      case .wave: WaveFile.boundMicroseconds(bytes)
      case .ogg: withFrames(bytes, OggPackets.boundMicroseconds(bytes))
      case .mp4: withFrames(bytes, MP4Samples.boundMicroseconds(bytes))
      case .webM: withFrames(bytes, WebMPackets.boundMicroseconds(bytes))
      case .flac(let start): withFrames(bytes, FLACFile.boundMicroseconds(bytes, at: start))
      case .frames(let start): AudioFrames.boundMicroseconds(bytes, from: start)
      }
    guard let microseconds, let inner = InnerFiles(in: bytes).boundMicroseconds(bytes) else {
      return nil
    }
    return wholeMilliseconds(max(microseconds, inner))
  }

  private static func wholeMilliseconds(_ microseconds: UInt64) -> Int64 {
    let whole = microseconds / 1000 + (microseconds % 1000 == 0 ? 0 : 1)
    return min(longestMilliseconds, max(1, Int64(clamping: whole)))
  }

  /// The larger of a container's bound and that of the frames in the bytes. Some decoders of MP3
  /// look for frames in any file, whatever its first bytes are, and take even single ones.
  ///
  /// By chance, other data has some 15 seconds of such frames in a megabyte. Coded speech lasts
  /// longer, so its bound doesn't change. Example: Opus at 32 kbit/s lasts 250 seconds a megabyte.
  private static func withFrames(_ bytes: Span<UInt8>, _ bound: UInt64?) -> UInt64? {
    bound.map { max($0, AudioFrames.longestChain(bytes)) }
  }

  /// The most milliseconds that a file without a `boundMilliseconds` is taken to last.
  ///
  /// In a known container an unknown codec has no limit: the container can state one sample a
  /// second, and an MP4 file can name the same bytes many times. The same holds for a container
  /// behind more tags than its reader skips. Any other file is bounded by its size.
  public static func longestMilliseconds(ofUnknown bytes: Span<UInt8>) -> Int64 {
    guard case .frames = AudioContainer(of: bytes) else { return longestMilliseconds }
    let start = ID3Tag.endOfAll(bytes)
    if start > 0, start < bytes.count {
      guard case .frames = AudioContainer(of: bytes.extracting(start...)) else {
        return longestMilliseconds
      }
    }
    guard let inner = InnerFiles(in: bytes).boundMicroseconds(bytes) else {
      return longestMilliseconds
    }
    let bySize = min(longestMilliseconds, Int64(bytes.count) * longestMillisecondsPerByte)
    return max(bySize, wholeMilliseconds(inner))
  }
}

/// The container of a sound file, by its first bytes.
enum AudioContainer {
  case wave
  case ogg
  case mp4
  case webM
  /// The offset of the first block of metadata.
  case flac(Int)
  /// Frames without a container (for example MP3), or any other file; the offset of the frames.
  case frames(Int)

  init(of bytes: Span<UInt8>) {
    if bytes.hasText("WAVE", at: 8),
      bytes.hasText("RIFF", at: 0) || bytes.hasText("RF64", at: 0) || bytes.hasText("BW64", at: 0)
    {
      self = .wave
    } else if bytes.hasText("OggS", at: 0) {
      self = .ogg
    } else if bytes.hasText("ftyp", at: 4) {
      self = .mp4
    } else if bytes.bigEndian(at: 0, count: 4) == WebMFile.signature {
      self = .webM
    } else {
      // FLAC and MP3 may begin with a tag.
      let start = ID3Tag.end(bytes)
      self = bytes.hasText("fLaC", at: start) ? .flac(start + 4) : .frames(start)
    }
  }
}

/// A duration as containers state it: a number of ticks, and the number of ticks in a second. For
/// example, 48,000 ticks at 16,000 a second are 3 seconds.
struct TickCount {
  let ticks: UInt64
  let perSecond: UInt64

  /// Nil if either number is zero.
  init?(_ ticks: UInt64, perSecond: UInt64) {
    guard ticks > 0, perSecond > 0 else { return nil }
    self.ticks = ticks
    self.perSecond = perSecond
  }

  /// The duration in milliseconds, rounded up; nil if an `Int64` can't hold it.
  var milliseconds: Int64? {
    units(inSecond: 1000).flatMap { Int64(exactly: $0) }
  }

  /// The duration in microseconds, rounded up; `UInt64.max` if it is larger than that.
  var microseconds: UInt64 { units(inSecond: 1_000_000) ?? .max }

  private func units(inSecond: UInt64) -> UInt64? {
    let (product, overflows) = ticks.multipliedReportingOverflow(by: inSecond)
    guard !overflows else { return nil }
    return product / perSecond + (product % perSecond == 0 ? 0 : 1)
  }
}

extension UInt64 {
  func addingSaturated(_ other: UInt64) -> UInt64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }

  func multipliedSaturated(by other: UInt64) -> UInt64 {
    let (product, overflows) = multipliedReportingOverflow(by: other)
    return overflows ? .max : product
  }
}
