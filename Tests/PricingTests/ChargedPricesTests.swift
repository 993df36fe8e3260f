import Money
import Pricing
import Testing

@Suite("The prices that a client is told")
struct ChargedPricesTests {
  private static let own = Fixtures.table([
    .input: "0.30", .output: "1.20", .call: "0.5", .image: "0.02",
  ])

  private func overridden(_ name: String) throws -> PricedModel {
    Fixtures.model(name).overridden(
      by: try PriceOverride(label: "acme/1", prices: ChargedPricesTests.own))
  }

  private struct Place: CustomTestStringConvertible {
    let tier: String
    let inputTokens: Int64
    let table: PriceTable
    var testDescription: String { "\(tier), \(inputTokens) input tokens" }
  }

  private func places(in prices: DatedPrices) -> [Place] {
    var places: [Place] = []
    let all = prices.tiers.merging(["default": prices.base]) { $1 }
    for (tier, stepped) in all {
      places.append(Place(tier: tier, inputTokens: 1, table: stepped.table))
      places += stepped.aboveInputTokens.map { above, table in
        Place(tier: tier, inputTokens: above + 1, table: table)
      }
    }
    return places
  }

  @Test(
    "are those of its tariffs, in every tier and at every length",
    arguments: ["gpt-4o-mini", "sol", "dated", "painter"], [false, true])
  func areCharged(name: String, hasOwnPrices: Bool) throws {
    let model = hasOwnPrices ? try overridden(name) : Fixtures.model(name)
    let charged = try #require(model.chargedPrices(at: Fixtures.now.instant))
    for place in places(in: charged) {
      let tariff = try model.tariff(
        in: Fixtures.context(tier: place.tier), inputTokens: place.inputTokens)
      for quantity in PricedQuantity.allCases {
        guard let price = place.table[quantity] else { continue }
        #expect(tariff.prices[quantity] == price, "\(place.testDescription): \(quantity)")
      }
      for (variant, price) in place.table.images {
        var context = Fixtures.context(tier: place.tier)
        context.image = variant
        let tariff = try model.tariff(in: context, inputTokens: place.inputTokens)
        #expect(tariff.prices[.image] == price)
      }
    }
  }

  @Test("are its own where it has any, and else the book's")
  func ownPrices() throws {
    let book = Fixtures.model("gpt-4o-mini")
    let instant = Fixtures.now.instant
    #expect(book.chargedPrices(at: instant) == book.declaredPrices(at: instant))
    #expect(book.chargedSurcharges() == book.surcharges)
    let model = try overridden("gpt-4o-mini")
    let charged = try #require(model.chargedPrices(at: instant))
    #expect(charged.base.table[.input] == Fixtures.price("0.30"))
    #expect(charged.tiers["batch"]?.table[.output] == Fixtures.price("1.20"))
    #expect(charged.base.table[.cachedInput] == Fixtures.price("0.075"))
    #expect(!model.surcharges.isEmpty)
    #expect(model.chargedSurcharges() == model.surcharges.mapValues { _ in Fixtures.price("0.5") })
  }

  @Test("have the client's markup, whoever's the price is, in every tier")
  func markups() throws {
    let markup = try #require(Markup("20%"))
    let instant = Fixtures.now.instant
    let charged = try #require(
      Fixtures.model("gpt-4o-mini").chargedPrices(at: instant, with: markup))
    #expect(charged.base.table[.input] == Fixtures.price("0.18"))
    let own = try overridden("gpt-4o-mini")
    let ownCharged = try #require(own.chargedPrices(at: instant, with: markup))
    #expect(ownCharged.base.table[.input] == Fixtures.price("0.36"))
    #expect(ownCharged.tiers["batch"]?.table[.output] == Fixtures.price("1.44"))
    #expect(own.chargedSurcharges(with: markup).values.allSatisfy { $0 == Fixtures.price("0.6") })
  }

  @Test("are none before the model's first price")
  func beforeTheFirstPrice() {
    let early = Fixtures.instant("2025-12-31T23:59:59.999Z")
    #expect(Fixtures.model("dated").chargedPrices(at: early) == nil)
  }
}
