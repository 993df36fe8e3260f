/// How a provider differs from what its API's shape promises. Each provider's rules, with their
/// reasons, are in the file of its name.
public struct ProviderDialect: Sendable, Hashable {
  /// Whether streams report usage without being asked for it.
  let reportsStreamUsageUnasked: Bool
  /// Where the provider counts a request's input exactly and for nothing; nil if it doesn't.
  let inputCountPath: String?
  /// Whether a transcription in JSON reports its usage.
  let reportsTranscriptDuration: Bool
  /// Whether transcriptions are written as subtitles, too.
  let writesSubtitles: Bool
  /// Whether what a model thinks is missing in the output, and is what the total has beyond it.
  let countsThoughtsInTotalOnly: Bool
  /// Whether lists of files and batches have pages, and take `limit` and `after`.
  public let hasListPages: Bool
  /// Whether items of responses are kept, so that a request can name one by its id.
  public let keepsItems: Bool

  /// Any provider with OpenAI's API of which nothing more is known.
  public static let compatible = ProviderDialect(reportsStreamUsageUnasked: false)

  /// The dialect of the provider with this name in the configuration.
  public init(provider: String) {
    switch provider {
    case "openai": self = .openAI
    case "groq": self = .groq
    case "google": self = .google
    default: self = .compatible
    }
  }

  init(
    reportsStreamUsageUnasked: Bool, inputCountPath: String? = nil,
    reportsTranscriptDuration: Bool = false, writesSubtitles: Bool = true,
    countsThoughtsInTotalOnly: Bool = false, hasListPages: Bool = true,
    keepsItems: Bool = true
  ) {
    self.reportsStreamUsageUnasked = reportsStreamUsageUnasked
    self.inputCountPath = inputCountPath
    self.reportsTranscriptDuration = reportsTranscriptDuration
    self.writesSubtitles = writesSubtitles
    self.countsThoughtsInTotalOnly = countsThoughtsInTotalOnly
    self.hasListPages = hasListPages
    self.keepsItems = keepsItems
  }
}
