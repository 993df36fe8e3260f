import Money
import Pricing
import Testing
import Time

@Suite struct TariffTests {
  @Test(
    "A cost is quantities times prices, in nano-dollars and in the billing currency",
    arguments: [
      // 1,000 × 0.15 + 500 × 0.60 a million = 0.00045 USD; × 5.40 = 0.00243 BRL.
      ("gpt-4o-mini", Usage(inputTokens: 1_000, outputTokens: 500), 450_000, 2_430_000),
      // One cached token: 0.000000075 USD = 75 nano; × 5.40 = 405.
      ("gpt-4o-mini", Usage(inputTokens: 1, cachedInputTokens: 1), 75, 405),
      // Reasoning is output: 100 × 0.60.
      ("gpt-4o-mini", Usage(outputTokens: 100, reasoningTokens: 90), 60_000, 324_000),
      // 3,100 input, of which 1,024 cached and 1,984 written; 40 output:
      // 92 × 4 + 1,024 × 0.4 + 1,984 × 5 + 40 × 20 = 11,497.6 a million.
      (
        "sol",
        Usage(
          inputTokens: 3_100, cachedInputTokens: 1_024, cacheWriteTokens: 1_984,
          outputTokens: 40),
        11_497_600, 62_087_040
      ),
      // Exactly at the step the base holds: 272,000 × 4.
      ("sol", Usage(inputTokens: 272_000), 1_088_000_000, 5_875_200_000),
      // One above it everything is dearer: 272,001 × 8 + 1 × 30.
      ("sol", Usage(inputTokens: 272_001, outputTokens: 1), 2_176_038_000, 11_750_605_200),
      // 10 × 2.5 + 90 × 32 + 5 × 10 + 15 × 64 = 3,915 a million.
      (
        "gpt-audio",
        Usage(
          inputTokens: 100, audioInputTokens: 90, outputTokens: 20, audioOutputTokens: 15),
        3_915_000, 21_141_000
      ),
      // 90 seconds at 0.006 a minute.
      ("whisper", Usage(audioMilliseconds: 90_000), 9_000_000, 48_600_000),
      // Five seconds are billed as the minimum of ten.
      ("whisper", Usage(audioMilliseconds: 5_000), 1_000_000, 5_400_000),
      ("tts-1", Usage(characters: 19), 285_000, 1_539_000),
      // Images of a kind that isn't known cost the most; two web searches cost 0.01 each.
      ("painter", Usage(images: 2), 160_000_000, 864_000_000),
      ("gpt-4o-mini", Usage(inputTokens: 1_000, calls: 2), 20_150_000, 108_810_000),
      ("gpt-4o-mini", Usage.zero, 0, 0),
    ] as [(String, Usage?, Int64, Int64)])
  func cost(model: String, usage: Usage?, nanoUSD: Int64, nanoBRL: Int64) throws {
    let usage = try #require(usage)
    let tariff = try Fixtures.model(model).tariff(
      in: Fixtures.now, inputTokens: usage.inputTokens)
    let cost = try tariff.cost(of: usage)
    #expect(cost.nanoUSD == Money(nanoUnits: nanoUSD, currency: .usd))
    #expect(cost.billed == Money(nanoUnits: nanoBRL, currency: Fixtures.brl))
    #expect(cost.unpriced.isEmpty)
    #expect(!cost.isTierAssumed)
    #expect(tariff.lines(of: usage).map(\.cost).reduce(.zero, +) == cost.exact)
  }

  @Test("The billing currency is rounded once, from the exact cost and not from nano-dollars")
  func roundedOnce() throws {
    // One token at 0.0001 a million is 0.1 nano-dollar: 1 when rounded up, and 0.54 nano-reais.
    // From the nano-dollar it would be 5.4.
    var cheap = Fixtures.openAI
    cheap.models = [Fixtures.mini]
    cheap.models[0].prices[0].base.table[.input] = Fixtures.price("0.0001")
    let book = try PriceBook(providers: [cheap], rates: Fixtures.rates())
    let tariff = try #require(book.model("gpt-4o-mini")).tariff(
      in: Fixtures.now, inputTokens: 1)
    let cost = try tariff.cost(of: #require(Usage(inputTokens: 1)))
    #expect(cost.nanoUSD.nanoUnits == 1)
    #expect(cost.billed.nanoUnits == 1)
  }

  @Test(
    "The answer's tier decides the price, whatever its provider calls the base",
    arguments: [
      (nil, "0.15", false), ("default", "0.15", false), ("auto", "0.15", false),
      ("on_demand", "0.15", false), ("standard", "0.15", false), ("batch", "0.075", false),
      ("priority", "0.25", false), ("fast", "0.25", false), ("ultrafast", "0.25", true),
      ("flex", "0.25", true),
    ] as [(String?, String, Bool)])
  func tiers(tier: String?, input: String, isAssumed: Bool) throws {
    let tariff = try Fixtures.model("gpt-4o-mini").tariff(
      in: Fixtures.context(tier: tier), inputTokens: 1)
    #expect(tariff.prices[.input] == Fixtures.price(input))
    let cost = try tariff.cost(of: #require(Usage(inputTokens: 1)))
    #expect(cost.isTierAssumed == isAssumed)
  }

  @Test(
    "What a tier or a step leaves out keeps its price",
    arguments: [
      // The batch of gpt-4o-mini has no price of its own for cached input.
      ("gpt-4o-mini", "batch", 1, PricedQuantity.cachedInput, "0.075"),
      // The long step of sol states no price for cached input.
      ("sol", nil, 272_001, .cachedInput, "0.4"), ("sol", nil, 272_001, .input, "8"),
      // A tier's step overlays the tier.
      ("sol", "flex", 272_001, .input, "4"), ("sol", "flex", 272_001, .cacheWrite, "2.5"),
      // A tier without a step of its own costs at least the base's step.
      ("sol", "priority", 272_001, .input, "8"), ("sol", "priority", 272_001, .output, "40"),
      ("sol", "priority", 272_000, .input, "7"),
      // An unknown tier costs the most that any would.
      ("sol", "other", 272_000, .output, "40"), ("sol", "other", 272_001, .cacheWrite, "10"),
    ] as [(String, String?, Int64, PricedQuantity, String)])
  func overlays(
    model: String, tier: String?, inputTokens: Int64, quantity: PricedQuantity, price: String
  ) throws {
    let tariff = try Fixtures.model(model).tariff(
      in: Fixtures.context(tier: tier), inputTokens: inputTokens)
    #expect(tariff.prices[quantity] == Fixtures.price(price))
  }

  @Test(
    "Prices change at midnight UTC of their date",
    arguments: [
      ("2026-01-01T00:00:00Z", "1"), ("2026-08-31T23:59:59.999Z", "1"),
      ("2026-09-01T00:00:00Z", "0.80"), ("2036-01-01T00:00:00Z", "0.80"),
    ])
  func dates(instant: String, input: String) throws {
    let context = PricingContext(instant: Fixtures.instant(instant))
    let tariff = try Fixtures.model("dated").tariff(in: context, inputTokens: 1)
    #expect(tariff.prices[.input] == Fixtures.price(input))
  }

  @Test("Before its first price a model isn't priced")
  func beforeFirstDate() {
    let context = PricingContext(instant: Fixtures.instant("2025-12-31T23:59:59.999Z"))
    #expect(throws: PricingError.modelNotPriced(model: "dated")) {
      try Fixtures.model("dated").tariff(in: context, inputTokens: 1)
    }
  }

  @Test("A client's own prices replace those they state, in every tier")
  func override() throws {
    let override = try PriceOverride(
      label: "acme/1", prices: Fixtures.table([.input: "0.30", .output: "1.20"]))
    let model = Fixtures.model("gpt-4o-mini").overridden(by: override)
    let tariff = try model.tariff(in: Fixtures.context(tier: "batch"), inputTokens: 1)
    #expect(tariff.prices[.input] == Fixtures.price("0.30"))
    #expect(tariff.prices[.output] == Fixtures.price("1.20"))
    #expect(tariff.prices[.cachedInput] == Fixtures.price("0.075"))
    #expect(tariff.version.hasSuffix(":gpt-4o-mini/batch+acme/1"))
    let bound = try model.bound(
      of: BoundRequest(textInputTokens: 1_000_000, outputLimit: 1), in: Fixtures.now)
    #expect(bound.cost(output: 1).decimalText == "0.300001200")
    #expect(throws: PricingError.invalidName("a\nb")) {
      try PriceOverride(label: "a\nb", prices: PriceTable())
    }
  }

  @Test("A client's own price of a call is that of every call, named or not")
  func overriddenCalls() throws {
    let own = try PriceOverride(label: "acme/2", prices: Fixtures.table([.call: "0.5"]))
    let model = Fixtures.model("gpt-4o-mini").overridden(by: own)
    for calls in [[], ["web_search"], ["unheard_of"]] {
      var context = Fixtures.now
      context.calls = calls
      let cost = try model.tariff(in: context, inputTokens: 0).cost(of: #require(Usage(calls: 2)))
      #expect(cost.nanoUSD.nanoUnits == 1_000_000_000)
      let bound = try model.bound(of: BoundRequest(outputLimit: 0, calls: 2), in: context)
      #expect(bound.cost(output: 0) == cost.exact)
    }
  }

  @Test(
    "A client's own prices of images replace those of their kinds alone, or of all kinds",
    arguments: [
      ("standard", true, "0.01"), ("hd", true, "0.08"), (nil, true, "0.08"),
      ("standard", false, "0.03"), ("hd", false, "0.03"), (nil, false, "0.03"),
    ])
  func overriddenImages(quality: String?, isOfKind: Bool, price: String) throws {
    let standard = ImageVariant(size: "1024x1024", quality: "standard")
    let own = try PriceOverride(
      label: "acme/3",
      prices: isOfKind
        ? PriceTable(images: [standard: Fixtures.price("0.01")])
        : Fixtures.table([.image: "0.03"]))
    var context = Fixtures.now
    context.image = quality.map { ImageVariant(size: "1024x1024", quality: $0) }
    let model = Fixtures.model("painter").overridden(by: own)
    let tariff = try model.tariff(in: context, inputTokens: 0)
    #expect(tariff.prices[.image] == Fixtures.price(price))
    let record = try Tariff(record: tariff.record)
    #expect(record.version == tariff.version && record.origin.overrideLabel == "acme/3")
  }

  @Test("Images and calls whose kind is known cost what their kind costs")
  func kinds() throws {
    var context = Fixtures.now
    context.image = ImageVariant(size: "1024x1024", quality: "standard")
    context.calls = ["file_search"]
    let tariff = try Fixtures.model("painter").tariff(in: context, inputTokens: 0)
    let cost = try tariff.cost(of: #require(Usage(images: 1, calls: 1)))
    #expect(cost.nanoUSD.nanoUnits == 42_500_000)
  }
}
