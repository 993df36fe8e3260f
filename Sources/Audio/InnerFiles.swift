/// FLAC and Ogg files that begin behind the first bytes of a file.
///
/// Some decoders look for their format at every position. If a WAV file has an empty `data` chunk
/// and a FLAC file behind it, they decode the FLAC file. So a container never makes the bound
/// smaller than the files in it.
struct InnerFiles {
  /// The lowest sample rate that the FLAC files state, in hertz; nil if there are none.
  private var flacRate: UInt64?
  private var hasOgg = false

  init(in bytes: Span<UInt8>) {
    for index in bytes.indices.dropFirst() {
      switch bytes[index] {
      case UInt8(ascii: "f"):
        if let rate = InnerFiles.flacRate(bytes, at: index) {
          flacRate = min(flacRate ?? rate, rate)
        }
      case UInt8(ascii: "O"): hasOgg = hasOgg || InnerFiles.isOggPage(bytes, at: index)
      default: break
      }
    }
  }

  /// The most microseconds that the files can last, 0 if there are none; nil for an unknown codec.
  func boundMicroseconds(_ bytes: Span<UInt8>) -> UInt64? {
    let flac: UInt64? = flacRate.map { FLACFile.boundMicroseconds(bytes, statedRate: $0) } ?? 0
    let ogg = hasOgg ? OggPackets.boundMicroseconds(bytes) : 0
    guard let flac, let ogg else { return nil }
    return max(flac, ogg)
  }

  private static func flacRate(_ bytes: Span<UInt8>, at index: Int) -> UInt64? {
    guard bytes.hasText("fLaC", at: index) else { return nil }
    return FLACFile.statedRate(bytes, at: index + 4)
  }

  /// Whether a page begins here, in the only version that there is. Its flags have three bits.
  private static func isOggPage(_ bytes: Span<UInt8>, at index: Int) -> Bool {
    bytes.hasText("OggS", at: index) && bytes.byte(at: index + 4) == 0
      && bytes.byte(at: index + 5) ?? 8 < 8
  }
}
