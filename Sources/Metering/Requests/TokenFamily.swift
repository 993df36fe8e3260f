/// Models whose tokenizers make about the same number of tokens from a text.
///
/// A family is used for estimates only, until the model's own answers have replaced it: see
/// `TokenRate`.
struct TokenFamily: Sendable {
  /// UTF-8 bytes per token of ordinary text, in tenths.
  let tenthsOfBytesPerToken: Int64

  static let openAI = TokenFamily(tenthsOfBytesPerToken: 40)
  static let llama = TokenFamily(tenthsOfBytesPerToken: 40)
  static let anthropic = TokenFamily(tenthsOfBytesPerToken: 35)
  static let google = TokenFamily(tenthsOfBytesPerToken: 40)
  /// Unknown tokenizers: the estimate is rather too high than too low.
  static let other = TokenFamily(tenthsOfBytesPerToken: 30)

  /// Fragments of models' names and their families. The first match counts.
  private static let families: [(fragment: String, family: TokenFamily)] = [
    ("gpt-", .openAI), ("chatgpt", .openAI), ("text-embedding", .openAI),
    ("llama", .llama), ("compound", .llama),
    ("claude", .anthropic),
    ("gemini", .google), ("gemma", .google),
  ]

  /// OpenAI's reasoning models have short names, so these match only as a prefix.
  private static let openAIPrefixes = ["o1", "o3", "o4"]

  static func of(model: String) -> TokenFamily {
    if openAIPrefixes.contains(where: model.hasPrefix) { return openAI }
    return families.first { model.hasFragment($0.fragment) }?.family ?? other
  }
}
