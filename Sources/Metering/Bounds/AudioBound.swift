import Audio
import Pricing

/// How long a sound is that is to be transcribed.
struct AudioLength: Sendable, Hashable {
  /// What is held for the sound, in milliseconds: the longest that it can be, and a margin.
  let bound: Int64
  /// What is charged for it where the provider doesn't say how long it was, in milliseconds: the
  /// longest that it can be. Nothing less is certain, since a header can state anything.
  let estimate: Int64

  /// Providers bill whole seconds, and decoders add some silence.
  private static let margin: Int64 = 1000

  /// The longest that the sound can be is the larger of what the file's header states and what a
  /// decoder can make of its bytes. Whoever makes a file can write any duration into its header,
  /// but providers bill what they decode.
  ///
  /// Example: a header states 1 second, and the file has 600 seconds of frames. The bound is 601
  /// seconds. If the client hangs up, 600 seconds are charged.
  init(ofFile bytes: Span<UInt8>) {
    let decoded =
      AudioDuration.boundMilliseconds(of: bytes)
      ?? AudioDuration.longestMilliseconds(ofUnknown: bytes)
    estimate = max(decoded, AudioDuration.milliseconds(of: bytes) ?? 0, 1)
    bound = (estimate + 999) / 1000 * 1000 + AudioLength.margin
  }
}

/// What bounds the output of models that write down or speak.
enum AudioBound {
  /// What a transcription may have beside what is spoken.
  private static let transcriptFrame: Int64 = 2_000
  /// Speech has three words a second; doubled, and a word is at most two tokens or so.
  private static let transcriptTokensPerSecond: Int64 = 12
  /// Fast speech: three words a second, and three words have four tokens.
  private static let usualTranscriptTokensPerSecond: Int64 = 4

  private static let speechFrame: Int64 = 200
  /// Sound has 20 tokens a second; very slow speech has two characters a second.
  private static let speechTokensPerCharacter: Int64 = 10
  /// The usual pace: 10 characters a second.
  private static let usualSpeechTokensPerCharacter: Int64 = 2

  static func transcriptTokens(milliseconds: Int64) -> Int64 {
    transcriptFrame + (milliseconds + 999) / 1000 * transcriptTokensPerSecond
  }

  static func usualTranscriptTokens(milliseconds: Int64) -> Int64 {
    (milliseconds + 999) / 1000 * usualTranscriptTokensPerSecond
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

  /// About how many tokens write down what was spoken, where nobody saw the end of the answer; 0
  /// for other requests.
  public var usualTranscriptTokens: Int64 {
    guard operation == .transcription || operation == .translation else { return 0 }
    return AudioBound.usualTranscriptTokens(milliseconds: estimatedAudioMilliseconds)
  }

  /// About how many tokens of sound or images the answer has.
  var estimatedMediaTokens: Int64 {
    operation == .image ? images * (outputLimit ?? 0) : speechTokens
  }
}
