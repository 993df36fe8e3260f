extension ProviderDialect {
  /// Google's OpenAI-compatible endpoint has the usage so far in every chunk of a stream, asked or
  /// not. What its models think is billed as output, and is in `total_tokens` alone.
  public static let google = ProviderDialect(
    reportsStreamUsageUnasked: true, countsThoughtsInTotalOnly: true)
}

extension ProviderReports {
  static let google = ProviderReports(hasCachedInput: true)
}
