import Money
import Randomness
import Testing

@Suite struct ExactAmountTests {
  private static let brl = Currency("BRL") ?? .usd

  @Test(
    "A price times a quantity is exact",
    arguments: [
      // 0.15 USD a million, 1,000 tokens: 0.00015 USD.
      ("0.15", PriceBasis.million, 1_000, 4_500_000_000_000_000_000),
      // The smallest price, one token: 10⁻¹⁸ USD.
      ("0.000000000001", .million, 1, 30_000),
      // 0.006 USD a minute, one millisecond: 10⁻⁷ USD.
      ("0.006", .minute, 1, 3_000_000_000_000_000),
      ("0.006", .minute, 60_000, 180_000_000_000_000_000_000),
      ("0.0001", .second, 1_500, 4_500_000_000_000_000_000),
      ("0.04", .one, 2, 2_400_000_000_000_000_000_000),
      ("0.04", .one, 0, 0),
    ] as [(String, PriceBasis, Int64, Int128)])
  func product(price: String, basis: PriceBasis, quantity: Int64, units: Int128) throws {
    let price = try FixedDecimal(decimal: price)
    #expect(ExactAmount(price: price, per: basis, quantity: quantity).units == units)
  }

  @Test(
    "An amount is rounded up once, at the nano-unit of the target currency",
    arguments: [
      // Nothing costs nothing; the least of something costs one nano-unit.
      (0, "1", 0), (1, "1", 1), (30_000_000_000_000, "1", 1), (30_000_000_000_001, "1", 2),
      // 10⁻⁹ dollar at 5.40 is 5.4 nano-reais, so 6.
      (30_000_000_000_000, "5.4", 6),
      // A third of that: by way of nano-dollars it would be 6, exactly it is 1.8, so 2.
      (10_000_000_000_000, "5.4", 2),
      (30_000_000_000_000_000_000_000, "5.4", 5_400_000_000),
      (1, "0.000000000001", 1),
    ] as [(Int128, String, Int64)])
  func roundedUp(units: Int128, rate: String, nanoUnits: Int64) throws {
    let rate = try FixedDecimal(decimal: rate)
    let money = ExactAmount(units: units).roundedUp(in: Self.brl, rate: rate)
    #expect(money == Money(nanoUnits: nanoUnits, currency: Self.brl))
  }

  @Test("A recorded amount is exact, and a record below zero is zero")
  func recorded() {
    #expect(ExactAmount(nanoUSD: 1).units == 30_000_000_000_000)
    #expect(ExactAmount(nanoUSD: .max).units == Int128(Int64.max) * 30_000_000_000_000)
    #expect(ExactAmount(nanoUSD: -1) == .zero && ExactAmount(nanoUSD: .min) == .zero)
  }

  @Test("Absurd magnitudes end in no money, never in a trap")
  func overflow() {
    let dearest = FixedDecimal(scaled: .max)
    let absurd = ExactAmount(price: dearest, per: .one, quantity: .max)
    #expect(absurd == .unlimited)
    #expect(absurd + absurd == .unlimited)
    #expect(absurd * 0 == .zero)
    #expect(absurd.roundedUp(in: .usd, rate: FixedDecimal(scaled: 1)) == nil)
    let almost = ExactAmount(units: .max - 1)
    #expect(almost.roundedUp(in: .usd, rate: dearest) == nil)
    #expect(almost.roundedUp(in: .usd, rate: .one) == nil)
    #expect(almost + ExactAmount(units: 1) == .unlimited)
    #expect(almost + ExactAmount(units: 2) == .unlimited)
  }

  @Test(
    "An exact amount is explained with nine to eighteen decimals",
    arguments: [
      (0, "0.000000000"), (4_500_000_000_000_000, "0.000000150"), (30_000, "0.000000000000000001"),
      (1, "0.000000000000000001"), (30_000_000_000_000_000_000_000, "1.000000000"),
    ] as [(Int128, String)])
  func text(units: Int128, text: String) {
    #expect(ExactAmount(units: units).decimalText == text)
  }

  @Test("The largest money is reached, and one more is none")
  func edge() {
    let largest = ExactAmount(units: Int128(Int64.max) * 30_000_000_000_000)
    #expect(largest.roundedUp(in: .usd, rate: .one)?.nanoUnits == .max)
    #expect((largest + ExactAmount(units: 1)).roundedUp(in: .usd, rate: .one) == nil)
  }

  @Test("What fits within a limit costs at most the limit, and one unit more costs more")
  func within() throws {
    var random = SplitMix64(seed: 1)
    for _ in 0..<20_000 {
      let limit = Money(nanoUnits: random.magnitude(below: 1 << 62), currency: Self.brl)
      let rate = FixedDecimal(scaled: random.magnitude(below: 1 << 50) + 1)
      let exact = ExactAmount(within: limit, rate: rate)
      if exact == .unlimited { continue }
      let cost = exact.roundedUp(in: Self.brl, rate: rate)
      #expect(try #require(cost).nanoUnits <= limit.nanoUnits)
      let more = (exact + ExactAmount(units: 1)).roundedUp(in: Self.brl, rate: rate)
      #expect((more?.nanoUnits ?? .max) > limit.nanoUnits)
    }
  }

  @Test("Limits that are negative, and rates of nought, have the answer that they mean")
  func withinEdges() {
    let debt = Money(nanoUnits: -1, currency: .usd)
    #expect(ExactAmount(within: debt, rate: .one) == .zero)
    let some = Money(nanoUnits: 1, currency: .usd)
    #expect(ExactAmount(within: some, rate: .zero) == .unlimited)
    let most = Money(nanoUnits: .max, currency: .usd)
    #expect(ExactAmount(within: most, rate: FixedDecimal(scaled: 1)) == .unlimited)
  }

  @Test("The quantity that an amount pays for is the largest that fits")
  func quantity() throws {
    var random = SplitMix64(seed: 2)
    for _ in 0..<20_000 {
      let limit = ExactAmount(units: Int128(random.magnitude(below: 1 << 62)) << 20)
      let fixed = ExactAmount(units: Int128(random.magnitude(below: 1 << 62)) << 18)
      let price = ExactAmount(units: Int128(random.magnitude(below: 1 << 40)) + 1)
      guard let count = limit.quantity(at: price, after: fixed) else {
        #expect(fixed > limit)
        continue
      }
      #expect(fixed + price * count <= limit)
      #expect(count == .max || fixed + price * (count + 1) > limit)
    }
    #expect(ExactAmount.zero.quantity(at: .zero, after: .zero) == .max)
    #expect(ExactAmount.zero.quantity(at: ExactAmount(units: 1), after: .zero) == 0)
  }
}
