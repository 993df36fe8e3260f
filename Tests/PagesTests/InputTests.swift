import Pages
import Testing

@Suite struct InputTests {
  @Test(
    "A decimal is read as its reader writes it, and is left alone where it isn't",
    arguments: [
      ("1234", "1234", "1234"), ("1,234.56", "1234.56", "1,234.56"),
      ("1.234,56", "1.234,56", "1234.56"), ("1.5", "1.5", "1.5"), ("1,5", "1,5", "1.5"),
      ("1,234", "1234", "1.234"), ("1.234", "1.234", "1234"), ("12,34", "12,34", "12.34"),
      ("1234,567", "1234,567", "1234.567"), ("-1", "-1", "-1"), ("", "", ""), ("1.", "1.", "1."),
      ("many", "many", "many"), ("1,,234", "1,,234", "1,,234"), ("١", "١", "١"),
    ])
  func decimals(text: String, inEnglish: String, inPortuguese: String) {
    #expect(Reader(language: .english).plainDecimal(text) == inEnglish)
    #expect(Reader(language: .portuguese).plainDecimal(text) == inPortuguese)
  }
}
