import Money
import Pricing
import Testing
import Time

@Suite("Responses in the background that have their time cost less")
struct CompletionWindowTests {
  private static let model: PricedModel = {
    let base = SteppedPrices(
      Fixtures.table([.input: "4", .cachedInput: "0.4", .output: "20"]),
      aboveInputTokens: [1_000: Fixtures.table([.input: "8", .output: "30"])])
    let prices = DatedPrices(
      base: base,
      tiers: ["priority": SteppedPrices(Fixtures.table([.input: "10", .output: "40"]))],
      completionWindows: [
        "2h": SteppedPrices(
          Fixtures.table([.input: "2.8", .output: "14"]),
          aboveInputTokens: [1_000: Fixtures.table([.input: "5.6", .output: "21"])]),
        "dear": SteppedPrices(Fixtures.table([.input: "100"])),
      ])
    let file = ProviderPrices(
      provider: "p", source: "", asOf: CivilDate("2026-11-01")!, file: "p.yaml",
      models: [ModelDeclaration(name: "m", operation: .responses, prices: [prices])])
    return try! PriceBook(providers: [file], rates: Fixtures.rates()).model("m", of: "p")!
  }()

  private func context(_ tier: String?, _ window: String?) -> PricingContext {
    PricingContext(instant: Fixtures.now.instant, tier: tier, completionWindow: window)
  }

  @Test(
    "A window holds in the base tier, at every length; without a price it is charged as the base",
    arguments: [
      (nil, nil, 1_000, "4", "20"), (nil, "2h", 1_000, "2.8", "14"),
      ("default", "2h", 1_000, "2.8", "14"), ("default", "2h", 1_001, "5.6", "21"),
      ("priority", "2h", 1_000, "10", "40"), (nil, "3h", 1_000, "4", "20"),
    ] as [(String?, String?, Int64, String, String)])
  func charged(
    tier: String?, window: String?, inputTokens: Int64, input: String, output: String
  ) throws {
    let tariff = try Self.model.tariff(in: context(tier, window), inputTokens: inputTokens)
    #expect(tariff.prices[.input] == Fixtures.price(input))
    #expect(tariff.prices[.output] == Fixtures.price(output))
    let again = try Tariff(record: tariff.record)
    #expect(again.version == tariff.version && again.origin == tariff.origin)
  }

  @Test("What a window leaves out keeps the base price, and prices tell windows apart")
  func leftOut() throws {
    let tariff = try Self.model.tariff(in: context(nil, "2h"), inputTokens: 0)
    #expect(tariff.prices[.cachedInput] == Fixtures.price("0.4"))
    #expect(tariff.origin.completionWindow == "2h")
    #expect(tariff.version.hasSuffix(":m/in-2h"))
  }

  @Test(
    "A request is bounded by the dearest that it can reach: the window may not be granted",
    arguments: [
      ("default", "2h", "0.000400000", "0.000020000"),
      ("default", "dear", "0.010000000", "0.000020000"),
      (nil, "2h", "0.001000000", "0.000040000"),
    ] as [(String?, String, String, String)])
  func bound(tier: String?, window: String, fixed: String, outputToken: String) throws {
    let bound = try Self.model.bound(
      of: BoundRequest(textInputTokens: 100, outputLimit: nil), in: context(tier, window))
    #expect(bound.fixedCost.decimalText == fixed)
    #expect(bound.outputTokenCost.decimalText == outputToken)
  }

  @Test("A request for a window without a price is refused")
  func refused() {
    #expect(throws: PricingError.completionWindowNotPriced(model: "m", window: "3h")) {
      try Self.model.bound(
        of: BoundRequest(textInputTokens: 1, outputLimit: nil), in: context(nil, "3h"))
    }
  }

  @Test("A client's own prices replace those of every window")
  func own() throws {
    let own = try PriceOverride(label: "a/1", prices: Fixtures.table([.output: "1"]))
    let model = Self.model.overridden(by: own)
    let tariff = try model.tariff(in: context(nil, "2h"), inputTokens: 0)
    #expect(tariff.prices[.output] == Fixtures.price("1"))
    #expect(tariff.prices[.input] == Fixtures.price("2.8"))
    let shown = try #require(model.chargedPrices(at: Fixtures.now.instant))
    #expect(shown.completionWindows["2h"]?.table[.output] == Fixtures.price("1"))
  }
}
