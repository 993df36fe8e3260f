import Money
import Pages
import Testing
import Time

/// Figures as readers of either language spell them.
@Suite struct FigureTests {
  private let english = Reader(language: .english)
  private let portuguese = Reader(language: .portuguese)

  private static let reais: [(Int64, String, String)] = [
    (1_234_560_000_000, "R$1,234.56", "R$ 1.234,56"),
    (0, "R$0.00", "R$ 0,00"),
    (999_999_999, "R$0.99", "R$ 0,99"),
    (45_000, "R$0.000045", "R$ 0,000045"),
    (20_000_000, "R$0.02", "R$ 0,02"),
    (800_000, "R$0.0008", "R$ 0,0008"),
    (1, "R$0.000000001", "R$ 0,000000001"),
    (12_345_678, "R$0.012", "R$ 0,012"),
    (-1_500_000_000, "-R$1.50", "-R$ 1,50"),
    (.max, "R$9,223,372,036.85", "R$ 9.223.372.036,85"),
  ]

  @Test("Money is read at a glance, small amounts by their first two digits", arguments: reais)
  func money(nanoUnits: Int64, inEnglish: String, inPortuguese: String) throws {
    let money = Money(nanoUnits: nanoUnits, currency: try #require(Currency("BRL")))
    #expect(english.money(money) == inEnglish)
    #expect(plain(portuguese.money(money)) == inPortuguese)
  }

  @Test(
    "Amounts of one row have the same decimals, so that one is seen to be the others' difference")
  func moneyInOneRow() {
    let amounts = [536_400_000, 564_600_000, -28_200_000].map {
      Money(nanoUnits: $0, currency: .usd)
    }
    #expect(english.money(inOneRow: amounts) == ["$0.536", "$0.564", "-$0.028"])
    let even = [280_000_000, 280_000_000, 0].map { Money(nanoUnits: $0, currency: .usd) }
    #expect(
      portuguese.money(inOneRow: even).map(plain) == ["US$ 0,28", "US$ 0,28", "US$ 0,00"])
    #expect(english.money(inOneRow: []) == [])
  }

  @Test("Where a cost is explained, no digit is left out")
  func exactMoney() {
    let money = Money(nanoUnits: 1_000_000_045, currency: .usd)
    #expect(english.exactMoney(money) == "$1.000000045")
    #expect(english.exactMoney(Money(nanoUnits: 2_500_000_000, currency: .usd)) == "$2.50")
    #expect(plain(portuguese.exactMoney(money)) == "US$ 1,000000045")
  }

  @Test(
    "Numbers are grouped, percentages have one decimal",
    arguments: [(0, "0", "0"), (999, "999", "999"), (1_000_000, "1,000,000", "1.000.000")]
      as [(Int64, String, String)])
  func numbers(value: Int64, inEnglish: String, inPortuguese: String) {
    #expect(english.number(value) == inEnglish && portuguese.number(value) == inPortuguese)
    #expect(plain(english.percentage(permille: 899)) == "89.9 %")
    #expect(plain(portuguese.percentage(permille: 12_345)) == "1.234,5 %")
  }

  @Test(
    "A narrow place gets a short number",
    arguments: [(999, "999"), (1000, "1 k"), (12_390, "12.3 k"), (4_500_000, "4.5 M")]
      as [(Int64, String)])
  func shortNumbers(value: Int64, expected: String) {
    #expect(plain(english.shortNumber(value)) == expected)
  }

  @Test("Moments are shown by the clocks of their zone")
  func moments() throws {
    let zone = try #require(TimeZoneRules(identifier: "America/Sao_Paulo"))
    let instant = try #require(Timestamp(rfc3339: "2026-12-01T02:03:04Z"))
    #expect(english.moment(instant, in: zone) == "30 Nov 2026, 23:03:04")
    #expect(portuguese.moment(instant, in: zone) == "30/11/2026, 23:03:04")
    #expect(portuguese.date(instant, in: .utc) == "01/12/2026")
  }

  @Test(
    "How far something lies ahead is said in its largest unit",
    arguments: [
      (30, "in 1 minute"), (3600, "in 60 minutes"), (7200, "in 2 hours"),
      (777_605, "in 9 days"), (-5, "in 1 minute"),
    ] as [(Int64, String)])
  func distances(seconds: Int64, expected: String) {
    let now = Timestamp(milliseconds: 0)
    let then = Timestamp(milliseconds: seconds * 1000)
    #expect(english.distance(to: then, from: now) == expected)
  }

  /// With usual spaces in place of those that keep a figure on one line.
  private func plain(_ text: String) -> String {
    String(text.map { $0 == "\u{A0}" ? " " : $0 })
  }
}
