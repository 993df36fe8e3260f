import Money
import Randomness
import Testing

@Suite("Markups") struct MarkupTests {
  @Test(
    "A percentage with at most two decimals is read, and written as shortly as it can be",
    arguments: [
      ("20%", "20%", 2_000), ("-5%", "-5%", -500), ("0%", "0%", 0), ("-0%", "0%", 0),
      ("12.75%", "12.75%", 1_275), ("12.50%", "12.5%", 1_250), ("0.01%", "0.01%", 1),
      ("1000%", "1000%", 100_000), ("-99.99%", "-99.99%", -9_999),
    ] as [(String, String, Int64)])
  func read(text: String, shortest: String, hundredths: Int64) throws {
    let markup = try #require(Markup(text))
    #expect(markup.hundredths == hundredths)
    #expect(markup.description == shortest && Markup(shortest) == markup)
  }

  @Test(
    "Any other text is none",
    arguments: [
      "", "%", "-%", "20", "+20%", "20 %", " 20%", "20%%", "--5%", "5.%", ".5%", "20.001%",
      "1000.01%", "-100%", "1e2%", "99999999999999999999%", "٢٠%", "20٪",
    ])
  func refused(text: String) {
    #expect(Markup(text) == nil)
  }

  /// 2 to the power of 62 is far from what the test's own arithmetic can hold.
  @Test("What prices make is exact with every markup, so that it is rounded once alone")
  func exact() throws {
    var random = SplitMix64(seed: 4)
    let brl = try #require(Currency("BRL"))
    for _ in 0..<20_000 {
      let hundredths = Int64.random(in: -9_999...100_000, using: &random)
      let markup = try #require(Self.markup(hundredths))
      let basis = try #require(PriceBasis.allCases.randomElement(using: &random))
      let amounts = (0..<3).map { _ in
        let price = FixedDecimal(scaled: random.magnitude(below: 1 << 40))
        return ExactAmount(price: price, per: basis, quantity: random.magnitude(below: 1 << 24))
      }
      let sum = amounts.reduce(.zero, +)
      let marked = sum.with(markup)
      #expect(marked.units * 10_000 == sum.units * Int128(10_000 + hundredths))
      #expect(amounts.reduce(.zero) { $0 + $1.with(markup) } == marked)
      let rate = FixedDecimal(scaled: random.magnitude(below: 1 << 43) + 1)
      // The exact product of all, divided and rounded up once.
      let product = marked.units.magnitude.multipliedFullWidth(by: UInt128(rate.scaled))
      let unitsPerNano = UInt128(ExactAmount.unitsPerDollar) * 1_000
      let (quotient, rest) = unitsPerNano.dividingFullWidth(product)
      #expect(
        marked.roundedUp(in: brl, rate: rate)?.nanoUnits
          == Int64(exactly: quotient + (rest > 0 ? 1 : 0)))
    }
  }

  private static func markup(_ hundredths: Int64) -> Markup? {
    let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
    return Markup("\(hundredths < 0 ? "-" : "")\(whole).\(rest < 10 ? "0" : "")\(rest)%")
  }

  @Test("An amount that no price makes is rounded up, by less than a unit")
  func others() throws {
    let markup = try #require(Markup("-99.99%"))
    #expect(ExactAmount(units: 1).with(markup).units == 1)
    #expect(ExactAmount(units: 10_001).with(markup).units == 2)
    #expect(ExactAmount(units: 10_001).with(.none).units == 10_001)
  }

  @Test("What doesn't fit with a markup is unlimited, and never traps")
  func overflow() throws {
    let most = try #require(Markup("1000%"))
    #expect(ExactAmount.unlimited.with(most) == .unlimited)
    #expect(ExactAmount(units: .max - 1).with(most) == .unlimited)
    #expect(ExactAmount(nanoUSD: .max).with(most).roundedUp(in: .usd, rate: .one) == nil)
    #expect(try #require(Markup("-99.99%")).removed(from: .max) == .max)
  }

  @Test(
    "A markup is taken out of what was charged with it, rounded up",
    arguments: [("20%", 600, 500), ("20%", 601, 501), ("-50%", 7, 14), ("0%", 9, 9), ("20%", 0, 0)]
      as [(String, Int64, Int64)])
  func removed(markup: String, charged: Int64, before: Int64) throws {
    #expect(try #require(Markup(markup)).removed(from: charged) == before)
  }

  @Test("It is the least amount that is charged so much")
  func leastAmount() throws {
    var random = SplitMix64(seed: 5)
    for _ in 0..<10_000 {
      let markup = try #require(Self.markup(Int64.random(in: -9_999...100_000, using: &random)))
      let charged = random.magnitude(below: 1 << 50) + 1
      let before = markup.removed(from: charged)
      func marked(_ nanoUSD: Int64) -> ExactAmount { ExactAmount(nanoUSD: nanoUSD).with(markup) }
      #expect(marked(before) >= ExactAmount(nanoUSD: charged))
      #expect(marked(before - 1) < ExactAmount(nanoUSD: charged))
    }
  }
}
