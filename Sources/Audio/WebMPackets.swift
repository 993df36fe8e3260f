/// The packets of a WebM file. Each packet bounds its own duration.
///
/// The reader ignores the times of blocks, because a decoder makes the sound that the packets hold.
/// Behind an error a decoder looks for the next cluster at every byte. If it could find blocks
/// there that this reader doesn't see, the file has no bound.
enum WebMPackets {
  private enum Element {
    static let segment: UInt64 = 0x1853_8067
    static let cluster: UInt64 = 0x1F43_B675
    static let tracks: UInt64 = 0x1654_AE6B
    static let track: UInt64 = 0xAE
    static let trackNumber: UInt64 = 0xD7
    static let trackType: UInt64 = 0x83
    static let codec: UInt64 = 0x86
    static let codecPrivate: UInt64 = 0x63A2
    static let encodings: UInt64 = 0x6D80
    static let blockGroup: UInt64 = 0xA0
    static let simpleBlock: UInt64 = 0xA3
    static let block: UInt64 = 0xA1
  }

  private enum Codec {
    case opus
    case vorbis
  }

  private struct Track {
    /// The offset behind the track's description.
    let end: Int
    var number: UInt64 = 0
    var isAudio = true
    /// Nil if the codec isn't known.
    var codec: Codec?
    var vorbis: VorbisHeader?
    /// Whether the packets are compressed or encrypted.
    var isEncoded = false

    /// The longest duration of one packet, in microseconds; nil if it isn't known.
    var longest: UInt64? {
      switch codec {
      case .opus: OpusPacket.longestMicroseconds
      case .vorbis: vorbis?.microsecondsPerPacket
      case nil: nil
      }
    }
  }

  private static let mostTracks = 64
  private static let audio: UInt64 = 2

  static func boundMicroseconds(_ bytes: Span<UInt8>) -> UInt64? {
    var tracks: [Track] = []
    var total: UInt64 = 0
    var position = 0
    while position < bytes.count {
      let start = position
      guard let id = WebMFile.number(bytes, &position, keepsMarker: true),
        let size = WebMFile.number(bytes, &position, keepsMarker: false)
      else { return hasCluster(bytes, in: start + 1..<bytes.count) ? nil : total }
      switch id {
      case Element.segment, Element.cluster, Element.tracks, Element.blockGroup: continue
      case Element.track:
        guard tracks.count < mostTracks, size <= UInt64(bytes.count - position) else { return nil }
        tracks.append(Track(end: position + Int(size)))
        continue
      default: break
      }
      let end = size <= UInt64(bytes.count - position) ? position + Int(size) : bytes.count
      guard !hasCluster(bytes, in: position..<end) else { return nil }
      if id == Element.simpleBlock || id == Element.block {
        guard let duration = duration(ofBlock: bytes, position..<end, tracks) else { return nil }
        total = total.addingSaturated(duration)
      } else if let last = tracks.indices.last, start < tracks[last].end {
        read(id, bytes, position..<end, into: &tracks[last])
      }
      position = end
    }
    return total
  }

  private static func read(
    _ id: UInt64, _ bytes: Span<UInt8>, _ content: Range<Int>, into track: inout Track
  ) {
    switch id {
    case Element.trackNumber: track.number = integer(bytes, content)
    case Element.trackType: track.isAudio = integer(bytes, content) == audio
    case Element.encodings: track.isEncoded = true
    case Element.codec:
      track.codec =
        bytes.hasText("A_OPUS", at: content.lowerBound)
        ? .opus : bytes.hasText("A_VORBIS", at: content.lowerBound) ? .vorbis : nil
    case Element.codecPrivate:
      // The private data of Vorbis: the sizes of two headers, then three headers. The first is
      // read.
      let header = content.first { bytes.hasText("\u{1}vorbis", at: $0) }
      track.vorbis = header.flatMap { VorbisHeader(bytes, at: $0) }
    default: break
    }
  }

  private static func integer(_ bytes: Span<UInt8>, _ content: Range<Int>) -> UInt64 {
    (1...8).contains(content.count)
      ? bytes.bigEndian(at: content.lowerBound, count: content.count) ?? 0 : 0
  }

  /// The most microseconds that a block's packets last; nil if a track of sound has no bound.
  private static func duration(
    ofBlock bytes: Span<UInt8>, _ content: Range<Int>, _ tracks: [Track]
  ) -> UInt64? {
    var position = content.lowerBound
    let number = WebMFile.number(bytes, &position, keepsMarker: false)
    guard let number, let flags = bytes.byte(at: position + 2) else { return 0 }
    let isLaced = flags & 0x06 != 0
    let packets = isLaced ? UInt64(bytes.byte(at: position + 3) ?? 255) + 1 : 1
    let packet = position + 3..<max(position + 3, content.upperBound)
    var longest: UInt64 = 0
    for track in tracks where track.number == number && track.isAudio {
      guard let most = track.longest else { return nil }
      let each =
        track.codec == .opus && !isLaced && !track.isEncoded
        ? OpusPacket.microseconds(bytes, packet) : most
      longest = max(longest, each * packets)
    }
    return longest
  }

  private static func hasCluster(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
    for index in range where bytes[index] == 0x1F {
      if bytes.bigEndian(at: index, count: 4) == Element.cluster { return true }
    }
    return false
  }
}
