import Testing

@testable import Ledger

@Suite("Parameters as PostgreSQL takes them") struct ParameterLexerTests {
  @Test(
    "Each question mark outside of texts, names and comments is a parameter",
    arguments: [
      ("SELECT ?, ?", "SELECT $1, $2", 2), ("SELECT ?2, ?1, ?2", "SELECT $2, $1, $2", 2),
      ("SELECT ?3, ?", "SELECT $3, $4", 4), ("SELECT ?12", "SELECT $12", 12),
      ("SELECT '?', ?", "SELECT '?', $1", 1), ("SELECT 'it''s ?', ?", "SELECT 'it''s ?', $1", 1),
      (#"SELECT "a?b", ?"#, #"SELECT "a?b", $1"#, 1),
      ("SELECT 1 -- ?\n, ?", "SELECT 1 -- ?\n, $1", 1),
      ("SELECT /* ? '*/ ?", "SELECT /* ? '*/ $1", 1), ("SELECT 4 / 2 - ?", "SELECT 4 / 2 - $1", 1),
      ("SELECT 'ü', ?", "SELECT 'ü', $1", 1), ("SELECT '?", "SELECT '?", 0), ("", "", 0),
    ])
  func rewrites(text: String, expected: String, count: Int) {
    let prepared = PreparedText(text, name: "s1")
    #expect(prepared.text == expected)
    #expect(prepared.parameterCount == count)
  }
}
