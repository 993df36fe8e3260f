/// Models whose tokenizers make about the same number of tokens from a text.
///
/// For estimates only, and only until the model's own answers have taught better: see `TokenRate`.
struct TokenFamily: Sendable {
  /// Bytes of UTF-8 for each token of ordinary text, in tenths.
  let tenthsOfBytesPerToken: Int64

  static let openAI = TokenFamily(tenthsOfBytesPerToken: 40)
  static let llama = TokenFamily(tenthsOfBytesPerToken: 40)
  static let anthropic = TokenFamily(tenthsOfBytesPerToken: 35)
  static let google = TokenFamily(tenthsOfBytesPerToken: 40)
  /// Unknown tokenizers: rather too many tokens than too few.
  static let other = TokenFamily(tenthsOfBytesPerToken: 30)

  /// What a model's name has in it, and its family; the first that fits counts.
  private static let families: [(fragment: String, family: TokenFamily)] = [
    ("gpt-", .openAI), ("chatgpt", .openAI), ("text-embedding", .openAI),
    ("llama", .llama), ("compound", .llama),
    ("claude", .anthropic),
    ("gemini", .google), ("gemma", .google),
  ]

  /// OpenAI's reasoning models have short names, so these are matched at the start only.
  private static let openAIPrefixes = ["o1", "o3", "o4"]

  static func of(model: String) -> TokenFamily {
    if openAIPrefixes.contains(where: model.hasPrefix) { return openAI }
    return families.first { model.hasFragment($0.fragment) }?.family ?? other
  }
}
