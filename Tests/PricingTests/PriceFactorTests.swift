import Money
import Pricing
import Testing
import Time

@Suite("A provider's factor raises the prices of tokens of the models that cost more in a region")
struct PriceFactorTests {
  private func model(_ factor: String, takesIt: Bool = true) throws -> PricedModel {
    let prices = DatedPrices(
      base: SteppedPrices(
        Fixtures.table([.input: "0.75", .output: "4.5", .minute: "1"]),
        aboveInputTokens: [1_000: Fixtures.table([.input: "1.5"])]),
      tiers: ["flex": SteppedPrices(Fixtures.table([.input: "0.375"]))],
      completionWindows: ["2h": SteppedPrices(Fixtures.table([.input: "0.525"]))])
    let declaration = ModelDeclaration(
      name: "m", operation: .chat, takesPriceFactor: takesIt, prices: [prices])
    let file = ProviderPrices(
      provider: "p", source: "", asOf: CivilDate("2026-11-01")!, file: "p.yaml",
      surcharges: ["web_search": Fixtures.price("0.01")],
      priceFactor: try #require(PriceFactor(factor)), models: [declaration])
    let book = try PriceBook(providers: [file], rates: Fixtures.rates())
    return try #require(book.model("m", of: "p"))
  }

  @Test(
    "The factor holds in every tier, window and step, exactly; nothing but tokens has it",
    arguments: [
      (nil, nil, 10, "0.825"), ("flex", nil, 10, "0.4125"), (nil, "2h", 10, "0.5775"),
      (nil, nil, 1_001, "1.65"),
    ] as [(String?, String?, Int64, String)])
  func tokens(tier: String?, window: String?, inputTokens: Int64, input: String) throws {
    let context = PricingContext(
      instant: Fixtures.now.instant, tier: tier, completionWindow: window)
    let tariff = try model("1.1").tariff(in: context, inputTokens: inputTokens)
    #expect(tariff.prices[.input] == Fixtures.price(input))
    #expect(tariff.prices[.minute] == Fixtures.price("1"))
    #expect(tariff.prices[.call] == Fixtures.price("0.01"))
    #expect(tariff.version.contains("x1.1"))
    let again = try Tariff(record: tariff.record)
    #expect(again.version == tariff.version && again.origin == tariff.origin)
  }

  @Test("A model that costs the same everywhere keeps its prices, and so does a factor of 1")
  func without() throws {
    for model in [try model("1.1", takesIt: false), try model("1")] {
      let tariff = try model.tariff(in: Fixtures.now, inputTokens: 1)
      #expect(tariff.prices[.input] == Fixtures.price("0.75"))
      #expect(!tariff.record.contains("price_factor"))
    }
  }

  @Test("A bound has the factor on everything, since nobody says that it holds for tokens alone")
  func bound() throws {
    let request = BoundRequest(textInputTokens: 100, outputLimit: 10, calls: 1)
    let context = PricingContext(instant: Fixtures.now.instant, tier: "default")
    let plain = try model("1").bound(of: request, in: context)
    let raised = try model("1.1").bound(of: request, in: context)
    #expect(plain.fixedCost.decimalText == "0.010075000")
    #expect(raised.fixedCost.decimalText == "0.011082500")
    #expect(raised.outputTokenCost.decimalText == "0.000004950")
    // Less than 1: the calls may still cost what they cost elsewhere.
    let lowered = try model("0.5").bound(of: request, in: context)
    #expect(lowered.fixedCost.decimalText == "0.010037500")
  }

  @Test("A client's own price stands as it was agreed; the provider's cost has the factor")
  func own() throws {
    let own = try PriceOverride(label: "a/1", prices: Fixtures.table([.input: "3"]))
    let tariff = try model("1.1").overridden(by: own).tariff(in: Fixtures.now, inputTokens: 1)
    let cost = try tariff.cost(of: try #require(Usage(inputTokens: 1_000)))
    #expect(cost.nanoUSD.decimalText == "0.003000000")
    #expect(cost.provider.decimalText == "0.000825000")
  }

  @Test("A factor is a decimal from 0.01 to 10", arguments: ["0.01", "1.1", "1.0001", "10"])
  func text(text: String) {
    #expect(PriceFactor(text)?.description == text)
  }

  @Test(
    "Anything else is no factor",
    arguments: ["", "0", "0.0099", "10.0001", "-1.1", "1.00001", "1,1", "110%", "+1"])
  func noFactor(text: String) {
    #expect(PriceFactor(text) == nil)
  }
}
