/// How long a sound file lasts, told by its own headers; nothing is decoded.
///
/// It is what Catraca holds for a transcription, and what it charges where a provider reports no
/// duration. A library was weighed: libsndfile knows neither MP4 nor WebM, which phones and
/// browsers record; libavformat knows all, but is a large C parser, to be kept in a process of its
/// own away from the providers' keys. What is needed is a few fields of six containers, so they are
/// read here, in a language where a hostile file can do no more than be misunderstood. Each reader
/// walks the bytes once, forward.
public enum AudioDuration {
  /// Longer than any file that a provider takes; what says that it lasts longer isn't believed.
  public static let longestMilliseconds: Int64 = 7 * 24 * 3600 * 1000

  /// The milliseconds of a WAV, FLAC, Ogg, MP3, MP4 or WebM file, rounded up, at least 1. Nil for
  /// anything else, and for files that don't say.
  public static func milliseconds(of bytes: Span<UInt8>) -> Int64? {
    let duration: TickCount? =
      if bytes.hasText("RIFF", at: 0), bytes.hasText("WAVE", at: 8) {
        WaveFile.duration(bytes)
      } else if bytes.hasText("OggS", at: 0) {
        OggFile.duration(bytes)
      } else if bytes.hasText("ftyp", at: 4) {
        MP4File.duration(bytes)
      } else if bytes.bigEndian(at: 0, count: 4) == WebMFile.signature {
        WebMFile.duration(bytes)
      } else {
        tagged(bytes)
      }
    guard let milliseconds = duration?.milliseconds, milliseconds <= longestMilliseconds else {
      return nil
    }
    return milliseconds
  }

  /// FLAC and MP3, which may begin with a tag.
  private static func tagged(_ bytes: Span<UInt8>) -> TickCount? {
    let start = ID3Tag.end(bytes)
    if bytes.hasText("fLaC", at: start) { return FLACFile.duration(bytes, at: start + 4) }
    return MP3File.duration(bytes, from: start)
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
    let (product, overflows) = ticks.multipliedReportingOverflow(by: 1000)
    guard !overflows else { return nil }
    return Int64(exactly: product / perSecond + (product % perSecond == 0 ? 0 : 1))
  }
}
