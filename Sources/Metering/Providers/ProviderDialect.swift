/// A provider's deviations from its API's format. Each provider's rules, with their reasons, are in
/// the file of its name.
public struct ProviderDialect: Sendable, Hashable {
  /// Whether streams report usage without being asked.
  let reportsStreamUsageUnasked: Bool
  /// The path at which the provider counts a request's input, exactly and for free; nil if it has
  /// none.
  let inputCountPath: String?
  /// Whether a transcription in JSON reports its usage.
  let reportsTranscriptDuration: Bool
  /// Whether the provider writes transcriptions as subtitles too.
  let writesSubtitles: Bool
  /// Whether the output count lacks the model's thoughts, which are the part of the total beyond
  /// input and output.
  let countsThoughtsInTotalOnly: Bool
  /// Whether lists of files and batches have pages, with `limit` and `after`.
  public let hasListPages: Bool
  /// Whether items of responses are kept, so that a request can name one by its ID.
  public let keepsItems: Bool

  /// A provider with OpenAI's API and no known deviations.
  public static let compatible = ProviderDialect(reportsStreamUsageUnasked: false)

  /// Returns the dialect of the provider with this name in the configuration.
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

extension ProviderDialect {
  /// Google's OpenAI-compatible endpoint reports the usage so far in every chunk of a stream,
  /// requested or not. The model's thoughts are billed as output, but are counted only in
  /// `total_tokens`.
  public static let google = ProviderDialect(
    reportsStreamUsageUnasked: true, countsThoughtsInTotalOnly: true)
}

extension ProviderReports {
  static let google = ProviderReports(hasCachedInput: true)
}
