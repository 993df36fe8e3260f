/// Ogg files: pages, each with the position of its last sample. The durations of consecutive
/// streams are added.
enum OggFile {
  /// The most consecutive streams that the reader follows.
  private static let mostStreams = 64

  private struct Stream {
    let serial: UInt64
    let rate: UInt64
    /// Samples at the beginning that a decoder drops.
    let skipped: UInt64
    var position: UInt64 = 0

    var milliseconds: UInt64 {
      let heard = position > skipped ? position - skipped : 0
      return TickCount(heard, perSecond: rate)?.milliseconds.map(UInt64.init) ?? 0
    }
  }

  static func duration(_ bytes: Span<UInt8>) -> TickCount? {
    var streams: [Stream] = []
    var page = 0
    while bytes.hasText("OggS", at: page), let flags = bytes.byte(at: page + 5),
      let position = bytes.littleEndian(at: page + 6, count: 8),
      let serial = bytes.littleEndian(at: page + 14, count: 4),
      let segments = bytes.byte(at: page + 26)
    {
      let table = page + 27
      let content = table + Int(segments)
      if flags & 2 != 0, streams.count < mostStreams {
        if let stream = stream(serial, bytes, at: content) { streams.append(stream) }
      } else if position <= UInt64(Int64.max),
        let index = streams.lastIndex(where: { $0.serial == serial })
      {
        streams[index].position = max(streams[index].position, position)
      }
      page = content + (table..<content).reduce(0) { $0 + Int(bytes.byte(at: $1) ?? 0) }
    }
    return TickCount(
      streams.reduce(0) { $0 &+ $1.milliseconds }, perSecond: 1000)
  }

  /// The rate and the skipped samples from the first page of a stream; nil for pictures and unknown
  /// codecs.
  private static func stream(
    _ serial: UInt64, _ bytes: Span<UInt8>, at content: Int
  ) -> Stream? {
    var skipped: UInt64 = 0
    let rate: UInt64?
    if bytes.hasText("OpusHead", at: content) {
      rate = 48_000
      skipped = bytes.littleEndian(at: content + 10, count: 2) ?? 0
    } else if bytes.hasText("\u{1}vorbis", at: content) {
      rate = bytes.littleEndian(at: content + 12, count: 4)
    } else if bytes.hasText("Speex   ", at: content) {
      rate = bytes.littleEndian(at: content + 36, count: 4)
    } else if bytes.hasText("\u{7F}FLAC", at: content) {
      rate = FLACFile.sampleRate(bytes, streamInfo: content + 17)
    } else {
      rate = nil
    }
    return rate.map { Stream(serial: serial, rate: $0, skipped: skipped) }
  }
}
