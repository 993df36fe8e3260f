import Configuration
import InMemory
import Money
import Pricing
import Testing
import Time

@Suite struct PricingFileTextTests {
  private func price(_ text: String) -> FixedDecimal { try! FixedDecimal(decimal: text) }

  private var everything: ProviderPrices {
    let tokens = PriceTable(
      Dictionary(
        uniqueKeysWithValues: PricedQuantity.allCases.map {
          ($0, FixedDecimal(scaled: Int64($0.rawValue) + 1))
        }))
    let images = PriceTable(images: [
      ImageVariant(size: "1024x1024", quality: "hd"): price("0.08"),
      ImageVariant(size: "1024x1024", quality: "low"): price("0.01"),
      ImageVariant(size: "auto", quality: "a \"b\" \\ c"): price("1"),
    ])
    let stepped = SteppedPrices(tokens, aboveInputTokens: [272_000: images, 5: tokens])
    return ProviderPrices(
      provider: "openai", source: "https://example.org/a#b", asOf: CivilDate("2026-11-01")!,
      file: "prices.yaml", surcharges: ["web_search": price("0.01"), "1": price("2")],
      containers: ["1g": price("0.03"), "16g": price("0.48")],
      models: [
        ModelDeclaration(
          name: "ft:m:x", aliases: ["null", "*", "- y"], operation: .speech, maxOutputTokens: 5,
          contextTokens: 7, minimumSeconds: 10, surcharges: ["t": price("1")],
          prices: [DatedPrices(base: stepped, tiers: ["batch": stepped])]),
        ModelDeclaration(
          name: "true", operation: .chat,
          prices: [
            DatedPrices(base: SteppedPrices(tokens)),
            DatedPrices(
              from: CivilDate("2026-09-01")!, base: stepped,
              tiers: ["flex": SteppedPrices(tokens)], completionWindows: ["2h": stepped]),
          ]),
      ])
  }

  @Test("What is written is read back as it was")
  func roundTrip() throws {
    let text = PricingFileText.text(of: everything, comment: ["Made by a test.", "{ : ["])
    let files = MemoryFiles(["prices.yaml": text])
    #expect(try PricingFiles(files).read(["prices.yaml"]) == [everything])
  }

  @Test("Every mistake of every file is told")
  func mistakes() {
    let files = MemoryFiles(["a.yaml": "provider: openai\n", "b.yaml": "as_of: 2026-01-01\nx: 1"])
    let error = #expect(throws: ConfigurationError.self) {
      try PricingFiles(files).read(["a.yaml", "b.yaml", "c.yaml"])
    }
    guard case .mistakes(let mistakes)? = error else { return }
    #expect(Set(mistakes.map(\.position.file)) == ["a.yaml", "b.yaml", "c.yaml"])
    #expect(mistakes.count == 4)
  }
}
