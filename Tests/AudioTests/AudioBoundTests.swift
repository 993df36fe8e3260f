import Audio
import Testing

@Suite("The longest that a decoder can make of a sound file")
struct AudioBoundTests {
  static func bound(_ file: [UInt8]) -> Int64? {
    AudioDuration.boundMilliseconds(of: file.span)
  }

  @Test("A header that states a moment doesn't shorten the bound", arguments: LyingFile.all)
  func lies(_ file: LyingFile) throws {
    #expect(AudioDuration.milliseconds(of: file.bytes.span) ?? 0 < file.milliseconds)
    let bound = try #require(Self.bound(file.bytes))
    #expect(bound >= file.milliseconds)
    #expect(bound <= file.milliseconds * file.slack + 300)
  }

  @Test("An honest file is bounded by what it states, or a little more")
  func honest() {
    #expect(Self.bound(SampleFile.wave(bytes: 320_000, perSecond: 32_000)) == 10_000)
    #expect(Self.bound(SampleFile.mp3(frames: 100)) == 2613)
    #expect(Self.bound(SampleFile.id3(size: 300) + SampleFile.mp3(frames: 100)) == 2613)
    #expect(Self.bound(SampleFile.mp3(frames: 2) + Array("TAG".utf8)) == 53)
  }

  @Test(
    "Frames of MP3 behind the beginning of another container count",
    arguments: [
      SampleFile.flac(rate: 8000, samples: 1),
      SampleFile.id3(size: 0) + SampleFile.flac(rate: 8000, samples: 1),
      LyingFile.webM(codec: "A_OPUS"), [0x1A, 0x45, 0xDF, 0xA3, 0x80],
      Array("OggS".utf8) + [0, 2] + [UInt8](repeating: 0, count: 20) + [1, 1, 0x7F],
      LyingFile.mp4(LyingFile.table("stsz", 10)),
    ])
  func framesInContainers(_ beginning: [UInt8]) {
    let file = (beginning + SampleFile.mp3(frames: 100)).span
    let bound =
      AudioDuration.boundMilliseconds(of: file)
      ?? AudioDuration.longestMilliseconds(ofUnknown: file)
    #expect(bound >= 2612)
  }

  @Test("Single frames of MP3 behind the beginning of another container count", arguments: [1, 2])
  func singleFrames(_ row: Int) {
    let piece: [UInt8] = [1, 2, 3] + SampleFile.mp3(frames: row)
    let frames = [[UInt8]](repeating: piece, count: 100).flatMap { $0 }
    let beginnings = [SampleFile.flac(rate: 8000, samples: 1), LyingFile.webM(codec: "A_OPUS")]
    for beginning in beginnings + [LyingFile.mp4(LyingFile.table("stsz", 10))] {
      let bound = Self.bound(beginning + frames)
      #expect(bound ?? 0 >= Int64(row) * 2612)
    }
  }

  @Test("Marks of frames by chance don't lengthen PCM, nor one edit a track MP4")
  func chance() {
    var random = SystemRandomNumberGenerator()
    let noise = [UInt8]((0..<2_000_000).map { _ in UInt8.random(in: 0...255, using: &random) })
    #expect(Self.bound(LyingFile.pcm(noise)) == 5209)
    let edits = LyingFile.edits([1024]) + LyingFile.edits([0])
    #expect(Self.bound(LyingFile.mp4(edits + LyingFile.table("stsz", 10))) == 1280)
  }

  @Test(
    "A codec that no reader knows has no bound",
    arguments: [
      [], [1, 2, 3], Array("#!AMR\n".utf8),
      LyingFile.wave(codec: 0x161, rate: 8000, bits: 16, byteRate: 8000, data: 100),
      LyingFile.wave(codec: 1, rate: 0, bits: 16, byteRate: 8000, data: 100),
      LyingFile.webM(codec: "A_FLAC"),
      LyingFile.pcm(LyingFile.repeated([0x72, 0xF8, 0x1F, 0x4E], 3)),
      LyingFile.pcm(LyingFile.repeated([0x7F, 0xFE, 0x80, 0x01], 3)),
      LyingFile.pcm(LyingFile.repeated([0x56, 0xE0, 97], 3)),
      LyingFile.mp4(LyingFile.table("stsz", 10) + LyingFile.box("cmov", [])),
      LyingFile.mp4(
        LyingFile.edits([UInt64](repeating: .max, count: 2000)) + LyingFile.table("stsz", 10)),
      // Junk before the frames: a decoder may see another format in it.
      [1, 2, 3] + SampleFile.mp3(frames: 100),
    ])
  func unknown(_ file: [UInt8]) {
    #expect(Self.bound(file) == nil)
  }

  @Test(
    "An unknown codec in a container that is known lasts as long as anything can",
    arguments: [
      LyingFile.wave(codec: 0xF1AC, rate: 1, bits: 16, byteRate: 8000, data: 100),
      LyingFile.webM(codec: "A_FLAC"),
      LyingFile.mp4(LyingFile.table("stsz", 10) + LyingFile.box("cmov", [])),
      SampleFile.id3(size: 9) + SampleFile.id3(size: 300)
        + SampleFile.flac(rate: 8000, samples: 1),
      SampleFile.id3(size: 9) + LyingFile.pcm([1, 2, 3]),
    ])
  func unknownInContainer(_ file: [UInt8]) {
    #expect(
      AudioDuration.longestMilliseconds(ofUnknown: file.span) == AudioDuration.longestMilliseconds)
  }

  @Test("What is no container is bounded by its size", arguments: [0, 9])
  func unknownAtAll(_ size: Int) {
    let file = SampleFile.id3(size: size) + Array("#!AMR\n".utf8)
    #expect(AudioDuration.longestMilliseconds(ofUnknown: file.span) == Int64(16 + size) * 683)
    let tag = SampleFile.id3(size: 300).prefix(60)
    #expect(AudioDuration.longestMilliseconds(ofUnknown: Array(tag).span) == 60 * 683)
  }

  @Test("A WebM file with a cluster where only a resynchronizing decoder finds it has no bound")
  func hiddenCluster() {
    let cluster: [UInt8] = [0x1F, 0x43, 0xB6, 0x75, 0xFF]
    let void: [UInt8] = [0xEC, 0x80 | UInt8(cluster.count)] + cluster
    #expect(Self.bound(LyingFile.webM(codec: "A_OPUS", tail: void)) == nil)
    #expect(Self.bound(LyingFile.webM(codec: "A_OPUS", tail: [0] + cluster)) == nil)
    #expect(Self.bound(LyingFile.webM(codec: "A_OPUS", tail: [0])) == 60_000)
  }

  @Test(
    "Cut off or changed anywhere, a file is read without a trap",
    arguments: SampleFile.all + LyingFile.all.map { Array($0.bytes.prefix(3000)) })
  func hostile(_ file: [UInt8]) {
    let cuts = stride(from: 0, to: file.count, by: max(1, file.count / 100))
    for length in cuts { _ = Self.bound(Array(file[..<length])) }
    for index in file.indices.prefix(300) {
      for byte: UInt8 in [0, 0x7F, 0x80, 0xFF] {
        var changed = file
        changed[index] = byte
        if let found = Self.bound(changed) {
          #expect((1...AudioDuration.longestMilliseconds).contains(found))
        }
      }
    }
  }
}
