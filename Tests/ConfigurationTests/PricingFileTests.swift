import Configuration
import Money
import Pricing
import Testing
import Time

@Suite struct PricingFileTests {
  private static let main = leastMain + "pricing: [pricing/openai.yaml]"

  private func prices(_ models: String) throws(ConfigurationError) -> ProviderPrices? {
    let file = "provider: openai\nas_of: 2026-11-01\n" + models
    return try load(Self.main, ["pricing/openai.yaml": file]).settings.prices.first
  }

  private func pricingMistakes(_ models: String) -> [String] {
    let file = "provider: openai\nas_of: 2026-11-01\n" + models
    return mistakes(Self.main, ["pricing/openai.yaml": file])
      .map { String($0.dropFirst("c/pricing/openai.yaml:".count)) }
  }

  private func price(_ text: String) throws -> FixedDecimal {
    try FixedDecimal(decimal: text)
  }

  @Test("Everything that a pricing file can say is read")
  func everything() throws {
    let loaded = try load(Self.main, ["pricing/openai.yaml": Self.everything]).settings.prices
    #expect(loaded == [try expectedPrices(try expectedTokenModel())])
  }

  /// The model of `everything` that is priced by tokens.
  private func expectedTokenModel() throws -> ModelDeclaration {
    let step = PriceTable([.input: try price("0.30")])
    return ModelDeclaration(
      name: "gpt-4o-mini", aliases: ["gpt-4o-mini-2024-07-18"], operation: .chat,
      maxOutputTokens: 16384, contextTokens: 128_000,
      prices: [
        DatedPrices(
          base: SteppedPrices(
            PriceTable([
              .input: try price("0.15"), .cachedInput: try price("0.075"),
              .output: try price("0.60"),
            ]), aboveInputTokens: [272_000: step]),
          tiers: [
            "batch": SteppedPrices(
              PriceTable([.input: try price("0.075"), .output: try price("0.30")]),
              aboveInputTokens: [272_000: PriceTable([.input: try price("0.15")])])
          ])
      ])
  }

  private func expectedPrices(_ tokenModel: ModelDeclaration) throws -> ProviderPrices {
    return ProviderPrices(
      provider: "openai", source: "https://platform.openai.com/docs/pricing",
      asOf: try #require(CivilDate("2026-11-01")), file: "pricing/openai.yaml",
      surcharges: ["web_search": try price("0.01")],
      models: [
        tokenModel,
        ModelDeclaration(
          name: "whisper-1", operation: .transcription, minimumSeconds: 10,
          prices: [DatedPrices(base: SteppedPrices(PriceTable([.minute: try price("0.006")])))]),
        ModelDeclaration(
          name: "tts-1", operation: .speech,
          prices: [DatedPrices(base: SteppedPrices(PriceTable([.character: try price("15")])))]),
        ModelDeclaration(
          name: "dall-e-3", operation: .image,
          prices: [
            DatedPrices(
              base: SteppedPrices(
                PriceTable(images: [
                  ImageVariant(size: "1024x1024", quality: "standard"): try price("0.04"),
                  ImageVariant(size: "1024x1024", quality: "hd"): try price("0.08"),
                ])))
          ]),
        ModelDeclaration(
          name: "some-model", operation: .chat,
          prices: [
            DatedPrices(
              from: CivilDate("2026-01-01"),
              base: SteppedPrices(
                PriceTable([.input: try price("1"), .output: try price("4")]))),
            DatedPrices(
              from: CivilDate("2026-09-01"),
              base: SteppedPrices(
                PriceTable([.input: try price("0.8"), .output: try price("3.2")]))),
          ]),
      ])
  }

  private static let everything = """
    provider: openai
    currency: USD
    source: https://platform.openai.com/docs/pricing
    as_of: 2026-11-01
    surcharges: { web_search: { per_call: "0.01" } }
    models:
      gpt-4o-mini:
        aliases: [gpt-4o-mini-2024-07-18]
        operation: chat
        max_output_tokens: 16384
        context_tokens: 128000
        per_million_tokens: { input: "0.15", cached_input: 0.075, output: "0.60" }
        above_input_tokens: { 272000: { per_million_tokens: { input: "0.30" } } }
        tiers:
          batch:
            per_million_tokens: { input: "0.075", output: "0.30" }
            above_input_tokens: { 272000: { per_million_tokens: { input: "0.15" } } }
      whisper-1: { operation: transcription, per_minute: "0.006", minimum_seconds: 10 }
      tts-1: { operation: speech, per_million_characters: "15.00" }
      dall-e-3:
        operation: image
        per_image: { 1024x1024: { standard: "0.04", hd: "0.08" } }
      some-model:
        prices:
          - { from: 2026-01-01, per_million_tokens: { input: "1.00", output: "4.00" } }
          - { from: 2026-09-01, per_million_tokens: { input: "0.80", output: "3.20" } }
    """

  @Test("A model can stand for unknown ones, by its name or by an alias")
  func unknownModel() throws {
    let file = """
      provider: openai
      as_of: 2026-11-01
      models: { a: { aliases: [b], per_call: "1" } }
      """
    for model in ["a", "b"] {
      let main = Self.main + "\nmetering: { unknown_model: { as: \(model) } }"
      let settings = try load(main, ["pricing/openai.yaml": file]).settings
      #expect(settings.metering.unknownModel == .priced(as: model))
    }
  }

  @Test(
    "A wrong pricing file says what is allowed",
    arguments: [
      (
        "models: { a: { per_call: 1, aliases: [b] }, b: { per_call: 1 } }",
        #"3:45: "b" is declared already in line 3; allowed: each name once"#
      ),
      (
        "models: { a: { per_call: 1, prices: [{ per_call: 1 }] } }",
        "3:37: prices and prices next to it; allowed: one of them"
      ),
      (
        "models: { a: { prices: [{ per_call: 1 }, { per_call: 2 }] } }",
        "3:42: from is missing; allowed: a date such as 2026-11-01"
      ),
      (
        "models: { a: { prices: [{ from: 2026-02-01, per_call: 1 },\n"
          + "{ from: 2026-01-01, per_call: 2 }] } }",
        "4:9: from: 2026-01-01 is not later than 2026-02-01; allowed: oldest first"
      ),
      (
        "models: { a: { per_call: 0.0000000000001 } }",
        #"3:26: per_call: "0.0000000000001" is not valid; allowed: a decimal with at most 12 "#
          + #"places, such as "0.15""#
      ),
      (
        "models: { a: { per_million_tokens: { inputs: 1, input: 1 } } }",
        #"3:38: unknown key "inputs"; did you mean "input"?"#
      ),
      (
        "models: { a: { per_call: 1, above_input_tokens: { many: {} } } }",
        #"3:51: "many" is not a number of input tokens; allowed: such as 272000"#
      ),
      (
        "models: { a: { per_call: 1, completion_windows: { 2h: { inputs: 1 } } } }",
        #"3:57: unknown key "inputs"; allowed: above_input_tokens, per_call, per_image, "#
          + "per_million_characters, per_million_tokens, per_minute, per_second"
      ),
      (
        "models: { a: { per_call: 1, completion_windows: { two hours: {} } } }",
        #"3:51: "two hours" is not the name of a completion window; allowed: 1 to 63 letters, "#
          + "digits, '.', '_' and '-', beginning with a letter or digit"
      ),
      (
        "containers: { two gigabytes: 1 }",
        #"3:15: "two gigabytes" is not the memory of a container; allowed: such as 1g, 4g, "#
          + "16g, 64g"
      ),
      (
        "containers: { 1g: free }",
        #"3:19: 1g: "free" is not valid; allowed: a decimal with at most 12 places, such as "#
          + #""0.15""#
      ),
      ("currency: BRL", "3:11: currency: prices in BRL; allowed: USD"),
      (
        "models: { a: {} }",
        "3:11: a has no price; allowed: per_million_tokens, per_minute, per_second, "
          + "per_million_characters, per_image, per_call, or a list of prices"
      ),
      (
        "models: { a: { per_image: { 1024x1024: 1 } } }",
        "3:40: 1024x1024: a single value is not valid; allowed: a mapping of qualities to "
          + #"prices, such as { standard: "0.04" }"#
      ),
    ] as [(String, String)])
  func wrong(models: String, mistake: String) {
    #expect(pricingMistakes(models) == [mistake])
  }

  @Test("Prices of a provider that isn't configured are a warning")
  func unknownProvider() throws {
    let file = "provider: groq\nas_of: 2026-11-01\n"
    let loaded = try load(Self.main, ["pricing/openai.yaml": file])
    #expect(
      loaded.warnings.map(\.description) == [
        "c/pricing/openai.yaml:1:11: warning: provider: \"groq\" is not among the providers of "
          + "catraca.yaml: openai"
      ])
  }

  @Test("A provider's prices stand in one file")
  func twoFiles() {
    let file = "provider: openai\nas_of: 2026-11-01\n"
    #expect(
      mistakes(leastMain + "pricing: [a.yaml, b.yaml]", ["a.yaml": file, "b.yaml": file]) == [
        "c/catraca.yaml:2:19: pricing: a.yaml has the prices of openai already; allowed: one "
          + "file a provider"
      ])
  }
}
