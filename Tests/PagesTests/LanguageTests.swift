import Pages
import Testing

@Suite struct LanguageTests {
  @Test(
    "A browser's favourite language is taken where there is it, else English",
    arguments: [
      ("pt-BR,pt;q=0.9,en;q=0.8", Language.portuguese), ("pt", .portuguese), ("en-GB", .english),
      ("fr, pt;q=0.5, en;q=0.4", .portuguese), ("en;q=0.4,pt-PT;q=0.41", .portuguese),
      ("de", .english), ("", .english), ("pt;q=0", .english), ("pt;q=x", .portuguese),
      ("EN, PT", .english), (";;,,q=", .english), ("pt; q=0.2, en; q=0.9", .english),
    ])
  func accepted(text: String, expected: Language) {
    #expect(Language(accepting: text) == expected)
  }

  @Test("A phrase is said in the reader's language")
  func phrases() {
    let phrase = Phrase("Requests", "Requisições")
    #expect(Reader(language: .english)(phrase) == "Requests")
    #expect(Reader(language: .portuguese)(phrase) == "Requisições")
  }
}
