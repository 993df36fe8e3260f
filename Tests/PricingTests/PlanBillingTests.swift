import Money
import Pricing
import Testing

@Suite struct PlanBillingTests {
  private static let brl = Currency("BRL")!

  private func billing(
    _ included: Int64, _ every: Int64?, _ measure: PlanBilling.Measure = .tokens
  ) -> PlanBilling {
    let charge = Money(minorUnits: 10_000, currency: PlanBillingTests.brl)!
    return PlanBilling(
      fixedFee: charge, measure: measure, included: included,
      overage: every.map { PlanBilling.Overage(every: $0, charge: charge) })
  }

  @Test(
    "A block begins when use passes its lower end",
    arguments: [
      (0, 0), (7_999_999, 0), (8_000_000, 0), (8_000_001, 1), (16_000_000, 1), (16_000_001, 2),
      (25_000_000, 3), (Int64.max, 1_152_921_504_606),
    ] as [(Int64, Int64)])
  func blocks(used: Int64, blocks: Int64) {
    #expect(billing(8_000_000, 8_000_000).blocks(begunAt: used) == blocks)
  }

  @Test(
    "A tier says its range in millions, thousands or as it is, whichever is exact",
    arguments: [
      (8_000_000, 8_000_000, 0, "0-8M"), (8_000_000, 8_000_000, 1, "8M-16M"),
      (8_000_000, 8_000_000, 2, "16M-24M"), (500_000, 1_000_000, 1, "500K-1500K"),
      (0, 1_500, 0, "0-0"), (0, 1_500, 1, "0-1500"), (1_000, 1_000, 2, "2K-3K"),
      (Int64.max - 1, 5, 1, "9223372036854775806+"),
    ] as [(Int64, Int64, Int64, String)])
  func tiers(included: Int64, every: Int64, block: Int64, text: String) {
    #expect("\(billing(included, every).tier(ofBlock: block))" == text)
  }

  @Test("What is used is in the tier whose block it began last")
  func tierOfUse() {
    let pro = billing(8_000_000, 8_000_000)
    #expect("\(pro.tier(at: 0))" == "0-8M" && "\(pro.tier(at: 8_000_000))" == "0-8M")
    #expect("\(pro.tier(at: 10_000_000))" == "8M-16M")
    #expect("\(billing(8_000_000, nil).tier(at: 8_000_001))" == "8M+")
    let cost = billing(100_000_000_000, 50_500_000_000, .cost)
    #expect("\(cost.tier(at: 100_000_000_001))" == "100-150.5 BRL")
  }

  @Test(
    "Money in its smallest unit",
    arguments: [
      ("BRL", 12_345, "123.45"), ("JPY", 12_345, "12345"),
      ("KWD", 12_345, "12.345"),
    ])
  func minorUnits(code: String, units: Int64, text: String) throws {
    let money = try #require(Money(minorUnits: units, currency: Currency(code)!))
    #expect(money.minorUnits == units && money.shortText == text)
    let fraction = Money(nanoUnits: money.nanoUnits + 1, currency: money.currency)
    #expect(fraction.minorUnits == nil)
    #expect(Money(minorUnits: .max, currency: money.currency) == nil)
  }
}
