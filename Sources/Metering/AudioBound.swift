import Audio
import Pricing

/// How long a sound is that is to be transcribed.
struct AudioLength: Sendable, Hashable {
  /// The longest that it can be, in milliseconds.
  let bound: Int64
  /// How long it is, as far as that can be told, in milliseconds.
  let estimate: Int64

  /// Providers bill whole seconds, and decoders add some silence.
  private static let margin: Int64 = 1000
  /// How much longer than stated a file may seem to be. Where a reader can't tell frames apart it
  /// counts the longest kind, so the frames of an honest file may seem to last this many times as
  /// long.
  private static let largestDoubt: Int64 = 4
  /// Compressed speech has about 32 kbit/s.
  private static let usualBytesPerMillisecond: Int64 = 4

  /// The bound is the larger of what the file's header states and what a decoder can make of its
  /// bytes. Whoever makes a file can write any duration into its header, but providers bill what
  /// they decode.
  ///
  /// Example: a header states 1 second, and the file has 600 seconds of frames. The bound is 601
  /// seconds. A file in an unknown format is bounded by `longestMillisecondsPerByte`: 100 kB may
  /// be 19 hours.
  init(ofFile bytes: Span<UInt8>) {
    let stated = AudioDuration.milliseconds(of: bytes)
    let size = Int64(bytes.count)
    let longest: Int64
    if let decoded = AudioDuration.boundMilliseconds(of: bytes) {
      longest = decoded
      if let stated, decoded / AudioLength.largestDoubt <= stated {
        estimate = stated
      } else {
        estimate = decoded
      }
    } else {
      longest = min(
        AudioDuration.longestMilliseconds, size * AudioDuration.longestMillisecondsPerByte)
      estimate = stated ?? max(1, size / AudioLength.usualBytesPerMillisecond)
    }
    bound = (max(longest, stated ?? 0) + 999) / 1000 * 1000 + AudioLength.margin
  }
}

/// What bounds the output of models that write down or speak.
enum AudioBound {
  /// What a transcription may have beside what is spoken.
  private static let transcriptFrame: Int64 = 2_000
  /// Speech has three words a second; doubled, and a word is at most two tokens or so.
  private static let transcriptTokensPerSecond: Int64 = 12

  private static let speechFrame: Int64 = 200
  /// Sound has 20 tokens a second; very slow speech has two characters a second.
  private static let speechTokensPerCharacter: Int64 = 10
  /// The usual pace: 10 characters a second.
  private static let usualSpeechTokensPerCharacter: Int64 = 2

  static func transcriptTokens(milliseconds: Int64) -> Int64 {
    transcriptFrame + (milliseconds + 999) / 1000 * transcriptTokensPerSecond
  }

  static func speechTokens(characters: Int64) -> Int64 {
    speechFrame + characters * speechTokensPerCharacter
  }

  static func usualSpeechTokens(characters: Int64) -> Int64 {
    max(1, characters * usualSpeechTokensPerCharacter)
  }
}

extension RequestFacts {
  /// Sets what bounds the output of requests whose answers are sound, images or what was spoken:
  /// none of them has a limit of its own.
  mutating func boundMediaOutput() {
    switch operation {
    case .transcription, .translation:
      outputLimit = AudioBound.transcriptTokens(milliseconds: audioMilliseconds)
    case .speech where OpenAI.speaksByToken(model: model):
      asksForAudio = true
      outputLimit = AudioBound.speechTokens(characters: characters)
      speechTokens = AudioBound.usualSpeechTokens(characters: characters)
      characters = 0
    case .image:
      asksForImages = true
      choices = images
      outputLimit = ImageBound.tokens(of: self)
    default: break
    }
  }

  /// About how many tokens of sound or images the answer has.
  var estimatedMediaTokens: Int64 {
    operation == .image ? images * (outputLimit ?? 0) : speechTokens
  }
}
