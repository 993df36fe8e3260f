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
