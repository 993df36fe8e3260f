import Money
import Pricing
import Testing
import Time

@Suite("Sessions of containers are priced by their memory")
struct ContainerPriceTests {
  private func model(
    _ containers: [String: String], surcharges: [String: String] = [:]
  ) throws -> PricedModel {
    let declaration = ModelDeclaration(
      name: "m", operation: .responses,
      prices: [
        DatedPrices(base: SteppedPrices(Fixtures.table([.input: "1", .output: "2"])))
      ])
    let file = ProviderPrices(
      provider: "p", source: "", asOf: CivilDate("2026-11-01")!, file: "p.yaml",
      surcharges: surcharges.mapValues(Fixtures.price),
      containers: containers.mapValues(Fixtures.price), models: [declaration])
    let book = try PriceBook(providers: [file], rates: Fixtures.rates())
    return try #require(book.model("m", of: "p"))
  }

  private static let sizes = ["1g": "0.03", "4g": "0.12", "64g": "1.92"]

  @Test(
    "An unknown size, and one without a price, is charged as the dearest",
    arguments: [
      (sizes, [:], ["container 1g"], "0.030000000"), (sizes, [:], ["container 4g"], "0.120000000"),
      (sizes, [:], ["container "], "1.920000000"), (sizes, [:], ["container 5g"], "1.920000000"),
      (sizes, ["web_search": "3"], ["container 1g"], "0.030000000"),
      (sizes, ["web_search": "3"], ["web_search", "container 1g"], "3.000000000"),
      // Files without prices of containers have one for all.
      ([:], ["code_interpreter": "0.05"], ["container 4g"], "0.050000000"),
      ([:], ["web_search": "3"], ["container 4g"], "0.000000000"),
    ] as [([String: String], [String: String], [String], String)])
  func charged(
    containers: [String: String], surcharges: [String: String], names: [String], cost: String
  ) throws {
    let context = PricingContext(instant: Fixtures.now.instant, calls: names)
    let tariff = try model(containers, surcharges: surcharges).tariff(in: context, inputTokens: 0)
    let usage = try #require(Usage(calls: 1))
    #expect(try tariff.cost(of: usage).nanoUSD.decimalText == cost)
  }

  @Test("Calls of a kind that isn't known don't have the price of a container")
  func unknownCalls() throws {
    let model = try model(Self.sizes, surcharges: ["web_search": "0.01"])
    let tariff = try model.tariff(in: Fixtures.now, inputTokens: 0)
    #expect(tariff.prices[.call] == Fixtures.price("0.01"))
  }

  @Test("A request is bounded by as many sessions as it may start")
  func bound() throws {
    let context = PricingContext(instant: Fixtures.now.instant, calls: ["container 4g"])
    let bound = try model(Self.sizes).bound(
      of: BoundRequest(outputLimit: 0, calls: 3), in: context)
    #expect(bound.fixedCost.decimalText == "0.360000000")
  }
}
