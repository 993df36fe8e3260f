import Money
import Testing

@Suite struct ExchangeRatesTests {
  @Test("A dollar costs one dollar, and the billing currency has its rate")
  func rates() throws {
    let brl = try #require(Currency("BRL"))
    let fiveForty = try FixedDecimal(decimal: "5.40")
    let rates = try ExchangeRates(billing: brl, perDollar: [brl: fiveForty])
    #expect(rates.billingRate == fiveForty)
    #expect(rates.rate(of: .usd) == .one)
    #expect(rates.rate(of: try #require(Currency("EUR"))) == nil)
    #expect(rates.currencies == [brl, .usd])
    #expect(ExchangeRates.usdOnly.billingRate == .one)
  }

  @Test("Rates that make no sense are refused")
  func refused() throws {
    let brl = try #require(Currency("BRL"))
    #expect(throws: MoneyError.missingRate(brl)) {
      try ExchangeRates(billing: brl, perDollar: [:])
    }
    #expect(throws: MoneyError.invalidRate(brl)) {
      try ExchangeRates(billing: .usd, perDollar: [brl: .zero])
    }
    #expect(throws: MoneyError.invalidRate(.usd)) {
      try ExchangeRates(billing: .usd, perDollar: [.usd: FixedDecimal(scaled: 1)])
    }
  }
}
