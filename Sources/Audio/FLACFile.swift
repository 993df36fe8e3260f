/// FLAC: the block STREAMINFO, which comes first, has the rate and the number of samples.
enum FLACFile {
  /// - Parameter position: behind `fLaC`, where the first block begins.
  static func duration(_ bytes: Span<UInt8>, at position: Int) -> TickCount? {
    let isStreamInfo = bytes.byte(at: position).map { $0 & 0x7F == 0 } ?? false
    guard isStreamInfo, let rate = sampleRate(bytes, streamInfo: position + 4),
      let numbers = bytes.bigEndian(at: position + 4 + 10, count: 8)
    else { return nil }
    // 20 bits of rate, 3 of channels, 5 of depth, 36 of samples; zero samples: unknown.
    return TickCount(numbers & 0xF_FFFF_FFFF, perSecond: rate)
  }

  static func sampleRate(_ bytes: Span<UInt8>, streamInfo: Int) -> UInt64? {
    bytes.bigEndian(at: streamInfo + 10, count: 3).map { $0 >> 4 }
  }
}
