/// How long a sound file lasts; nothing is decoded.
///
/// A file tells two durations. The header states one, which whoever made the file can choose
/// freely. The frames tell the other: a decoder can't make more sound than the frames hold. Catraca
/// holds the larger of the two for a transcription, and charges it where a provider reports no
/// duration.
///
/// A library was weighed: libsndfile knows neither MP4 nor WebM, which phones and browsers record;
/// libavformat knows all, but is a large C parser, to be kept in a process of its own away from the
/// providers' keys. The readers need a few fields of six containers, so they are written here, in a
/// language where a hostile file can do no more than be misunderstood. Each reader walks the bytes
/// forward.
public enum AudioDuration {
  /// Longer than any file that a provider takes.
  public static let longestMilliseconds: Int64 = 7 * 24 * 3600 * 1000

  /// Milliseconds that a byte can last in a format that no reader here knows at all.
  ///
  /// The codec with the fewest bytes is FLAC: 12 bytes hold 65,536 samples of silence, which are
  /// 8.192 seconds at 8 kHz, the lowest rate in use.
  public static let longestMillisecondsPerByte: Int64 = 683

  /// The milliseconds that the header of a WAV, FLAC, Ogg, MP4 or WebM file states, or that an MP3
  /// file's frames have. Rounded up, at least 1; nil for anything else, and for files that don't
  /// say.
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
  /// `longestMilliseconds`; nil where the codec isn't known.
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
    return microseconds.map {
      min(longestMilliseconds, max(1, Int64(clamping: $0 / 1000 + ($0 % 1000 == 0 ? 0 : 1))))
    }
  }

  /// The bound of a container, or that of frames beside what the container knows: some decoders of
  /// MP3 look for frames in any file, and don't mind what it begins with.
  private static func withFrames(_ bytes: Span<UInt8>, _ bound: UInt64?) -> UInt64? {
    bound.map { max($0, CodedFrames.hasRow(in: bytes) ? AudioFrames.longestChain(bytes) : 0) }
  }

  /// The most milliseconds that a file without a `boundMilliseconds` is taken to last.
  ///
  /// In a known container an unknown codec has no limit: the container states any rate, down to one
  /// sample a second, and an MP4 file can name the same bytes again and again. So can a container
  /// behind more tags than its reader skips. Any other file is bounded by its size.
  public static func longestMilliseconds(ofUnknown bytes: Span<UInt8>) -> Int64 {
    guard case .frames = AudioContainer(of: bytes) else { return longestMilliseconds }
    let start = ID3Tag.endOfAll(bytes)
    if start > 0, start < bytes.count {
      guard case .frames = AudioContainer(of: bytes.extracting(start...)) else {
        return longestMilliseconds
      }
    }
    return min(longestMilliseconds, Int64(bytes.count) * longestMillisecondsPerByte)
  }
}

/// The container of a sound file, told by its first bytes.
enum AudioContainer {
  case wave
  case ogg
  case mp4
  case webM
  /// Where the first block of metadata begins.
  case flac(Int)
  /// Frames without a container, such as MP3, or anything else; where they begin.
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

/// A duration as containers state it: so many ticks, so many of which are a second.
struct TickCount {
  let ticks: UInt64
  let perSecond: UInt64

  /// Nil where there is no tick, or no second.
  init?(_ ticks: UInt64, perSecond: UInt64) {
    guard ticks > 0, perSecond > 0 else { return nil }
    self.ticks = ticks
    self.perSecond = perSecond
  }

  /// Rounded up; nil if it is more than a number holds.
  var milliseconds: Int64? {
    units(inSecond: 1000).flatMap { Int64(exactly: $0) }
  }

  /// Rounded up; the largest number if it is more than a number holds.
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
