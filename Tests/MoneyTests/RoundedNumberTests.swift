import Money
import Testing

@Suite struct RoundedNumberTests {
  static let cases: [(text: String, nanoUnits: Int64?)] = [
    ("0", 0), ("0.06", 60_000_000), ("1", 1_000_000_000), ("-2.5", -2_500_000_000),
    ("1.5e-05", 15_000), ("15E-6", 15_000), ("1e+2", 100_000_000_000), ("123456e-9", 123_456),
    ("0.0000000005", 1), ("0.00000000049999", 0), ("0.0000000015", 2), ("-0.0000000005", -1),
    ("5e-10", 1), ("5e-11", 0), ("9e-100", 0), ("0.1234567890000000000000000001", 123_456_789),
    ("9223372036.854775807", .max), ("9223372036.854775808", nil), ("1e10", nil), ("1e999", nil),
    ("0e99", 0), ("", nil), ("-", nil), (".5", nil), ("5.", nil), ("+1", nil), ("1e", nil),
    ("1e5e5", nil), ("0x10", nil), ("NaN", nil), ("1 ", nil), ("1,5", nil),
    ("1e-9223372036854775808", nil), ("1e9223372036854775807", nil),
  ]

  @Test("A number is rounded to the nearest nano-unit, by its digits", arguments: cases)
  func rounds(_ text: String, _ nanoUnits: Int64?) {
    #expect(Money(roundingNumber: text, currency: .usd)?.nanoUnits == nanoUnits)
  }

  @Test("A number of a hostile length is none")
  func hostile() {
    let digits = String(repeating: "1", count: 100_000)
    #expect(Money(roundingNumber: "0.\(digits)", currency: .usd) == nil)
    #expect(Money(roundingNumber: digits, currency: .usd) == nil)
  }
}
