import Audio
import Pricing

/// What is known of a sound that is to be written down.
struct AudioLength: Sendable, Hashable {
  /// The longest that it can be.
  let bound: Int64
  /// How long it is, as far as that can be told.
  let estimate: Int64

  /// Providers bill whole seconds, and decoders add some silence.
  private static let margin: Int64 = 1000

  /// The length that the file's own headers tell. A file that tells none is as long as so many
  /// bytes can be at 8 kbit/s, the slowest in use, and is taken to have 32 kbit/s.
  init(ofFile bytes: Span<UInt8>) {
    if let milliseconds = AudioDuration.milliseconds(of: bytes) {
      bound = (milliseconds + 999) / 1000 * 1000 + AudioLength.margin
      estimate = milliseconds
    } else {
      bound = max(1, Int64(bytes.count))
      estimate = max(1, Int64(bytes.count) / 4)
    }
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
