import Audio
import Testing

@Suite("The duration of sound files")
struct AudioDurationTests {
  static func milliseconds(_ file: [UInt8]) -> Int64? {
    AudioDuration.milliseconds(of: file.span)
  }

  @Test("A WAV file lasts as long as its data at its bytes a second")
  func wave() {
    #expect(Self.milliseconds(SampleFile.wave(bytes: 16_000, perSecond: 32_000)) == 500)
    #expect(Self.milliseconds(SampleFile.wave(bytes: 1, perSecond: 32_000)) == 1)
  }

  @Test("A WAV file written to a pipe states no size, and lasts to its end", arguments: [0, .max])
  func pipedWave(_ stated: UInt32) {
    let file = SampleFile.wave(bytes: 32_000, perSecond: 32_000, stated: stated)
    #expect(Self.milliseconds(file) == 1000)
  }

  @Test("A FLAC file states its samples, also behind a tag; none means unknown")
  func flac() {
    let file = SampleFile.flac(rate: 44_100, samples: 44_100 * 3 + 1)
    #expect(Self.milliseconds(file) == 3001)
    #expect(Self.milliseconds(SampleFile.id3(size: 200) + file) == 3001)
    #expect(Self.milliseconds(SampleFile.flac(rate: 44_100, samples: 0)) == nil)
  }

  @Test("The frames of an MP3 file are counted, behind a tag and across garbage")
  func mp3() {
    // 1152 samples at 44.1 kHz are 26.12 ms.
    let frames = SampleFile.mp3(frames: 100)
    #expect(Self.milliseconds(frames) == 2613)
    #expect(Self.milliseconds(SampleFile.id3(size: 300) + frames) == 2613)
    #expect(Self.milliseconds(frames + [0xFF, 0xFB, 0, 1, 2] + frames) == 5225)
  }

  @Test("An Ogg file lasts to its last position, without what is skipped; streams add up")
  func ogg() {
    let opus = SampleFile.opus(serial: 1, samples: 48_000 * 2 + 312, skipped: 312)
    #expect(Self.milliseconds(opus) == 2000)
    let second = SampleFile.opus(serial: 2, samples: 48_000, skipped: 0)
    #expect(Self.milliseconds(opus + second) == 3000)
    #expect(Self.milliseconds(SampleFile.vorbis(serial: 1, rate: 44_100, samples: 44_100)) == 1000)
  }

  @Test("An MP4 file's header has the duration, in 32 or 64 bits, else its fragments' header")
  func mp4() {
    #expect(Self.milliseconds(SampleFile.mp4(duration: 2500, scale: 1000)) == 2500)
    #expect(Self.milliseconds(SampleFile.mp4(duration: 2500, scale: 1000, isLong: true)) == 2500)
    #expect(
      Self.milliseconds(SampleFile.mp4(duration: 0, scale: 1000, fragments: 1234)) == 1234)
    #expect(Self.milliseconds(SampleFile.mp4(duration: 0, scale: 1000)) == nil)
  }

  @Test("A WebM file states its duration, else the last block's time tells it")
  func webM() {
    #expect(Self.milliseconds(SampleFile.webM(duration: 4321.5)) == 4322)
    #expect(Self.milliseconds(SampleFile.webM(duration: nil)) == 5150)
  }

  @Test("What isn't a sound file has no duration", arguments: [[], [1, 2, 3], Array("RIFF".utf8)])
  func others(_ file: [UInt8]) {
    #expect(Self.milliseconds(file) == nil)
  }

  @Test("Cut off or changed anywhere, a file is read without a trap", arguments: SampleFile.all)
  func hostile(_ file: [UInt8]) {
    for length in file.indices { _ = Self.milliseconds(Array(file[..<length])) }
    for index in file.indices.prefix(400) {
      for byte: UInt8 in [0, 0x7F, 0x80, 0xFF] {
        var changed = file
        changed[index] = byte
        if let found = Self.milliseconds(changed) {
          #expect((1...AudioDuration.longestMilliseconds).contains(found))
        }
      }
    }
  }
}
