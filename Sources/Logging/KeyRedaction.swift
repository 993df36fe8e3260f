/// Removes keys from texts of providers and clients, so that the texts can be logged.
public enum KeyRedaction {
  /// The text that replaces a key.
  public static let mark = "[redacted]"

  /// The beginnings of keys: OpenAI's, Anthropic's and Catraca's, Groq's, Catraca's admin tokens,
  /// Google's, xAI's, Stripe's and its webhooks', GitHub's; and `Bearer`.
  private static let beginnings = [
    "sk-", "gsk_", "adm-ctr-", "AIza", "xai-", "sk_", "rk_", "whsec_", "ghp_", "github_pat_",
    "Bearer ",
  ].map { Array($0.utf8) }

  /// The least number of characters behind a beginning. A shorter word isn't a key, unless the text
  /// ends within it.
  private static let shortestRest = 8

  /// The text with `mark` in place of each key. If the text ends within a key, that part is
  /// replaced too.
  public static func apply(to text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var position = 0
    while position < text.count {
      if position == 0 || !isPartOfWord(text[position - 1]),
        let end = endOfKey(in: text, from: position)
      {
        result.append(contentsOf: mark.utf8)
        position = end
      } else {
        result.append(text[position])
        position += 1
      }
    }
    return result
  }

  /// The end of the key that begins at `start`; nil if none begins there.
  private static func endOfKey(in text: [UInt8], from start: Int) -> Int? {
    for beginning in beginnings where begins(text, at: start, with: beginning) {
      let restStart = start + beginning.count
      var end = restStart
      while end < text.count, isPartOfKey(text[end]) { end += 1 }
      if end - restStart >= shortestRest || end == text.count { return end }
    }
    return nil
  }

  /// Whether the text has `beginning` at `start`, in either case.
  private static func begins(_ text: [UInt8], at start: Int, with beginning: [UInt8]) -> Bool {
    guard text.count - start >= beginning.count else { return false }
    return zip(text[start...], beginning).allSatisfy { lowercased($0) == lowercased($1) }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    isLetter(byte) ? byte | 0x20 : byte
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isPartOfWord(_ byte: UInt8) -> Bool {
    isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isPartOfKey(_ byte: UInt8) -> Bool {
    isPartOfWord(byte) || "-_.~+/=".utf8.contains(byte)
  }
}
