/// The usage of one answer in normal form: totals, and parts that never exceed their total.
///
/// `inputTokens = text + cached + cacheWrite + cacheWriteLong + audio + image` and `outputTokens =
/// text + reasoning + audio + image`, where `text` is the rest. The parts are disjoint, so each
/// token is priced once.
public struct Usage: Hashable, Sendable {
  public private(set) var inputTokens: Int64
  public private(set) var cachedInputTokens: Int64
  /// Tokens written to the provider's prompt cache with the short retention.
  public private(set) var cacheWriteTokens: Int64
  /// Tokens written to the provider's prompt cache with twelve hours of retention.
  public private(set) var cacheWriteLongTokens: Int64
  /// Sound of the input that wasn't cached, at the price of sound.
  public private(set) var audioInputTokens: Int64
  /// The part of the cached input that is sound, at the price of the cache.
  public private(set) var cachedAudioTokens: Int64
  public private(set) var imageInputTokens: Int64
  public private(set) var outputTokens: Int64
  /// Output tokens that the model thought and didn't show; priced as output.
  public private(set) var reasoningTokens: Int64
  public private(set) var audioOutputTokens: Int64
  public private(set) var imageOutputTokens: Int64
  /// Audio in milliseconds, before a provider's billed minimum.
  public private(set) var audioMilliseconds: Int64
  public private(set) var characters: Int64
  public private(set) var images: Int64
  /// Calls that are billed separately from tokens, for example web searches.
  public private(set) var calls: Int64

  /// Input tokens that are neither cached, written to the cache, audio nor image.
  public var textInputTokens: Int64 {
    inputTokens - cachedInputTokens - cacheWriteTokens - cacheWriteLongTokens
      - audioInputTokens - imageInputTokens
  }

  /// Output tokens that are neither reasoning, audio nor image.
  public var textOutputTokens: Int64 {
    outputTokens - reasoningTokens - audioOutputTokens - imageOutputTokens
  }

  public var totalTokens: Int64 { inputTokens + outputTokens }

  /// All sound of the input, cached or not, as providers count it.
  public var totalAudioInputTokens: Int64 { audioInputTokens + cachedAudioTokens }

  /// Returns nil if a count is negative or above 2⁵³, or if parts exceed their total.
  public init?(
    inputTokens: Int64 = 0, cachedInputTokens: Int64 = 0, cacheWriteTokens: Int64 = 0,
    cacheWriteLongTokens: Int64 = 0, audioInputTokens: Int64 = 0, imageInputTokens: Int64 = 0,
    outputTokens: Int64 = 0, reasoningTokens: Int64 = 0, audioOutputTokens: Int64 = 0,
    imageOutputTokens: Int64 = 0, audioMilliseconds: Int64 = 0, characters: Int64 = 0,
    images: Int64 = 0, calls: Int64 = 0, cachedAudioTokens: Int64 = 0
  ) {
    self.inputTokens = inputTokens
    self.cachedInputTokens = cachedInputTokens
    self.cacheWriteTokens = cacheWriteTokens
    self.cacheWriteLongTokens = cacheWriteLongTokens
    self.audioInputTokens = audioInputTokens
    self.imageInputTokens = imageInputTokens
    self.outputTokens = outputTokens
    self.reasoningTokens = reasoningTokens
    self.audioOutputTokens = audioOutputTokens
    self.imageOutputTokens = imageOutputTokens
    self.audioMilliseconds = audioMilliseconds
    self.characters = characters
    self.images = images
    self.calls = calls
    self.cachedAudioTokens = cachedAudioTokens
    guard counts.allSatisfy({ (0...Usage.largestCount).contains($0) }) else { return nil }
    guard textInputTokens >= 0, textOutputTokens >= 0, cachedAudioTokens <= cachedInputTokens
    else { return nil }
  }

  /// Returns the usage with this number of calls; nil if the number is negative or above 2⁵³.
  public func with(calls: Int64) -> Usage? {
    guard (0...Usage.largestCount).contains(calls) else { return nil }
    var usage = self
    usage.calls = calls
    return usage
  }

  /// The largest count that is accepted: 2⁵³, the largest exact integer in JSON.
  public static let largestCount: Int64 = 1 << 53

  /// Nothing used.
  public static let zero = Usage(unchecked: ())

  private init(unchecked: Void) {
    inputTokens = 0
    cachedInputTokens = 0
    cacheWriteTokens = 0
    cacheWriteLongTokens = 0
    audioInputTokens = 0
    cachedAudioTokens = 0
    imageInputTokens = 0
    outputTokens = 0
    reasoningTokens = 0
    audioOutputTokens = 0
    imageOutputTokens = 0
    audioMilliseconds = 0
    characters = 0
    images = 0
    calls = 0
  }
}
