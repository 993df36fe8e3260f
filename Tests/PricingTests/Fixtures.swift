import Money
import Pricing
import Time

/// A small price book with a case of everything.
enum Fixtures {
  static let brl = Currency("BRL")!

  static func price(_ text: String) -> FixedDecimal {
    try! FixedDecimal(decimal: text)
  }

  static func table(_ prices: [PricedQuantity: String]) -> PriceTable {
    PriceTable(prices.mapValues(price))
  }

  static func instant(_ text: String) -> Timestamp {
    Timestamp(rfc3339: text)!
  }

  static let now = PricingContext(instant: instant("2026-11-22T12:00:00Z"))

  static func context(tier: String? = nil) -> PricingContext {
    PricingContext(instant: now.instant, tier: tier)
  }

  static func rates(brl rate: String = "5.40") -> ExchangeRates {
    try! ExchangeRates(billing: brl, perDollar: [brl: price(rate)])
  }

  static let mini = ModelDeclaration(
    name: "gpt-4o-mini", aliases: ["gpt-4o-mini-2024-07-18"], operation: .chat,
    maxOutputTokens: 16_384, contextTokens: 128_000,
    prices: [
      DatedPrices(
        base: SteppedPrices(table([.input: "0.15", .cachedInput: "0.075", .output: "0.60"])),
        tiers: [
          "batch": SteppedPrices(table([.input: "0.075", .output: "0.30"])),
          "priority": SteppedPrices(
            table([.input: "0.25", .cachedInput: "0.125", .output: "1.00"])),
        ])
    ])

  /// Writes to the cache, has a length step in the base and a tier with one of its own.
  static let sol = ModelDeclaration(
    name: "sol", operation: .chat, contextTokens: 1_050_000,
    prices: [
      DatedPrices(
        base: SteppedPrices(
          table([
            .input: "4", .cachedInput: "0.4", .cacheWrite: "5", .cacheWriteLong: "8",
            .output: "20",
          ]),
          aboveInputTokens: [272_000: table([.input: "8", .cacheWrite: "10", .output: "30"])]),
        tiers: [
          "flex": SteppedPrices(
            table([.input: "2", .cacheWrite: "2.5", .cacheWriteLong: "4", .output: "10"]),
            aboveInputTokens: [272_000: table([.input: "4", .output: "15"])]),
          "priority": SteppedPrices(table([.input: "7", .output: "40"])),
        ])
    ])

  static let audio = ModelDeclaration(
    name: "gpt-audio", operation: .chat, maxOutputTokens: 16_384,
    prices: [
      DatedPrices(
        base: SteppedPrices(
          table([.input: "2.5", .output: "10", .audioInput: "32", .audioOutput: "64"])))
    ])

  static let dated = ModelDeclaration(
    name: "dated", operation: .chat,
    prices: [
      DatedPrices(
        from: CivilDate("2026-01-01")!, base: SteppedPrices(table([.input: "1", .output: "4"]))),
      DatedPrices(
        from: CivilDate("2026-09-01")!,
        base: SteppedPrices(table([.input: "0.80", .output: "3.20"]))),
    ])

  static let whisper = ModelDeclaration(
    name: "whisper", operation: .transcription, minimumSeconds: 10,
    prices: [DatedPrices(base: SteppedPrices(table([.minute: "0.006"])))])

  static let speech = ModelDeclaration(
    name: "tts-1", operation: .speech,
    prices: [DatedPrices(base: SteppedPrices(table([.character: "15.00"])))])

  static let image = ModelDeclaration(
    name: "painter", operation: .image,
    prices: [
      DatedPrices(
        base: SteppedPrices(
          PriceTable(
            images: [
              ImageVariant(size: "1024x1024", quality: "standard"): price("0.04"),
              ImageVariant(size: "1024x1024", quality: "hd"): price("0.08"),
            ])))
    ])

  static let openAI = ProviderPrices(
    provider: "openai", source: "https://example.org/pricing", asOf: CivilDate("2026-11-01")!,
    file: "pricing/openai.yaml",
    surcharges: ["web_search": price("0.01"), "file_search": price("0.0025")],
    models: [mini, sol, audio, dated, speech, image])

  static let groq = ProviderPrices(
    provider: "groq", source: "https://example.org/groq", asOf: CivilDate("2026-11-02")!,
    file: "pricing/groq.yaml", models: [whisper, renamed(dated, "llama"), renamed(mini, "sol")])

  static func renamed(_ model: ModelDeclaration, _ name: String) -> ModelDeclaration {
    var model = model
    model.name = name
    return model
  }

  static func book(rates: ExchangeRates = rates()) -> PriceBook {
    try! PriceBook(providers: [openAI, groq], rates: rates)
  }

  static func model(_ name: String) -> PricedModel {
    book().model(name)!
  }
}
