import Configuration
import Testing

@Suite struct ModelPatternTests {
  @Test(
    "A star stands for any text, and everything else for itself",
    arguments: [
      ("gpt-4o", "gpt-4o", true), ("gpt-4o", "gpt-4o-mini", false), ("gpt-4o*", "gpt-4o", true),
      ("gpt-4o*", "gpt-4o-mini", true), ("*", "anything", true), ("*", "", true),
      ("llama-3.*", "llama-3.1-8b", true), ("llama-3.*", "llama-31", false),
      ("*-mini", "gpt-4o-mini", true), ("*-mini", "gpt-4o-mini-2024", false),
      ("a*b*c", "a-b-b-c", true), ("a*b*c", "a-c-b", false), ("**a**", "a", true),
      ("*ab*ab", "abab", true), ("*ab*ab", "ab", false), ("GPT*", "gpt-4", false),
      ("gpt-4?", "gpt-4o", false), ("o*", "gpt-4o", false),
    ])
  func matches(pattern: String, model: String, expected: Bool) throws {
    #expect(try #require(ModelPattern(pattern)).matches(model) == expected)
  }

  @Test("A pattern of many stars takes no exponential time")
  func manyStars() throws {
    let pattern = try #require(ModelPattern(String(repeating: "a*", count: 100) + "b"))
    #expect(!pattern.matches(String(repeating: "a", count: 256)))
  }

  @Test(
    "A pattern is visible ASCII of some length",
    arguments: ["", "gpt 4", "é*", String(repeating: "a", count: 257)])
  func refused(text: String) {
    #expect(ModelPattern(text) == nil)
  }
}
