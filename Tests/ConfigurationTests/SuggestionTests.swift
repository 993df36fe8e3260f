import Testing

@testable import Configuration

@Suite struct SuggestionTests {
  @Test(
    "Edits are counted, a swap of neighbours as one",
    arguments: [
      ("", "", 0), ("a", "", 1), ("listen", "listn", 1), ("ledger", "legder", 1),
      ("kitten", "sitting", 3), ("abc", "ca", 3),
    ])
  func distances(left: String, right: String, expected: Int) {
    #expect(editDistance(left, right) == expected)
    #expect(editDistance(right, left) == expected)
  }

  @Test(
    "The nearest key is suggested, and none that is far",
    arguments: [
      ("idel", "idle"), ("requestbody", "request_body"), ("headers", "header"),
      ("colour", nil), ("x", nil), (String(repeating: "i", count: 100), nil),
    ])
  func suggestions(name: String, expected: String?) {
    let keys = ["request_body", "header", "connections", "header_timeout", "idle"]
    #expect(likelyMeant(by: name, among: keys) == expected)
  }
}
