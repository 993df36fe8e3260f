import Audio
import Pricing

/// The length of a sound that is to be transcribed.
struct AudioLength: Sendable, Hashable {
  /// The held length in milliseconds: the longest possible length, plus a margin.
  let bound: Int64
  /// The charged length if the provider doesn't report it, in milliseconds: the longest possible
  /// length. A header can state any length, so no lower value is certain.
  let estimate: Int64

  /// Providers bill whole seconds, and decoders add some silence.
  private static let margin: Int64 = 1000

  /// Computes the longest possible length: the larger of the header's duration and the duration
  /// that a decoder can make of the bytes. A file's author can write any duration into the header,
  /// but providers bill the decoded sound.
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

/// Bounds the output of models that transcribe or speak.
enum AudioBound {
  /// The tokens of a transcription besides the spoken words.
  private static let transcriptFrame: Int64 = 2_000
  /// Speech has three words a second, doubled for the bound; a word has about two tokens.
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
  /// Bounds the output of requests whose answers are sound, images or transcripts, because these
  /// requests can't limit it themselves.
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

  /// The usual number of tokens of the transcript, for an answer whose end wasn't seen; 0 for other
  /// requests.
  public var usualTranscriptTokens: Int64 {
    guard operation == .transcription || operation == .translation else { return 0 }
    return AudioBound.usualTranscriptTokens(milliseconds: estimatedAudioMilliseconds)
  }

  /// The approximate number of tokens of sound or images in the answer.
  var estimatedMediaTokens: Int64 {
    operation == .image ? images * (outputLimit ?? 0) : speechTokens
  }
}
