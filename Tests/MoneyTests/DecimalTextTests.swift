import Money
import Testing

@Suite struct DecimalTextTests {
  @Test(
    "Money is read exactly and written with nine decimals",
    arguments: [
      ("0", 0, "0.000000000"), ("0.000123", 123_000, "0.000123000"),
      ("500.00", 500_000_000_000, "500.000000000"), ("0.000000001", 1, "0.000000001"),
      ("007", 7_000_000_000, "7.000000000"),
      ("9223372036.854775807", Int64.max, "9223372036.854775807"),
    ])
  func money(text: String, nanoUnits: Int64, written: String) throws {
    let money = try Money(decimal: text, currency: .usd)
    #expect(money.nanoUnits == nanoUnits)
    #expect(money.decimalText == written)
  }

  @Test("Negative money, which only arithmetic makes, is written with a sign")
  func negativeMoney() {
    #expect(Money(nanoUnits: -1, currency: .usd).decimalText == "-0.000000001")
    #expect(
      Money(nanoUnits: .min, currency: .usd).decimalText == "-9223372036.854775808")
  }

  @Test(
    "Prices are read exactly and written without needless zeros",
    arguments: [
      ("0.15", 150_000_000_000, "0.15"), ("0.60", 600_000_000_000, "0.6"),
      ("15.00", 15_000_000_000_000, "15"), ("0", 0, "0"), ("0.000000000001", 1, "0.000000000001"),
      ("120", 120_000_000_000_000, "120"),
      ("9223372.036854775807", Int64.max, "9223372.036854775807"),
    ])
  func price(text: String, scaled: Int64, written: String) throws {
    let price = try FixedDecimal(decimal: text)
    #expect(price.scaled == scaled)
    #expect(price.decimalText == written)
  }

  @Test(
    "What isn't a plain decimal is refused",
    arguments: [
      "", ".", ".5", "5.", "-1", "+1", "1e3", "1,5", " 1", "1 ", "1.2.3", "0x10", "١", "1_000",
      "NaN", "1.\u{0}",
    ])
  func malformed(text: String) {
    #expect(throws: MoneyError.malformedDecimal) { try Money(decimal: text, currency: .usd) }
    #expect(throws: MoneyError.malformedDecimal) { try FixedDecimal(decimal: text) }
  }

  @Test("More decimals than are kept are refused, not rounded")
  func tooManyDecimals() {
    #expect(throws: MoneyError.tooManyDecimals(allowed: 9)) {
      try Money(decimal: "0.0000000001", currency: .usd)
    }
    #expect(throws: MoneyError.tooManyDecimals(allowed: 12)) {
      try FixedDecimal(decimal: "0.0000000000000")
    }
  }

  @Test(
    "What doesn't fit is refused",
    arguments: ["9223372036.854775808", "9999999999999999999", "10000000000"])
  func tooLarge(text: String) {
    #expect(throws: MoneyError.tooLarge) { try Money(decimal: text, currency: .usd) }
    #expect(throws: MoneyError.tooLarge) { try FixedDecimal(decimal: text) }
  }

  @Test(
    "A currency is three ASCII letters", arguments: ["", "US", "USDT", "U5D", "ﬁx", "R$ ", "ÄÖ"])
  func currencyRefused(code: String) {
    #expect(Currency(code) == nil)
  }

  @Test("A currency may be written in small letters")
  func currency() {
    #expect(Currency("brl")?.code == "BRL")
    #expect(Currency("usd") == .usd)
  }
}
