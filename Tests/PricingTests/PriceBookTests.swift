import Money
import Pricing
import Testing
import Time

@Suite struct PriceBookTests {
  private let book = Fixtures.book()

  @Test("A model is found by its name and by its aliases, within its provider")
  func lookup() {
    #expect(book.model("gpt-4o-mini", of: "openai")?.name == "gpt-4o-mini")
    #expect(book.model("gpt-4o-mini-2024-07-18", of: "openai")?.name == "gpt-4o-mini")
    #expect(book.model("gpt-4o-mini", of: "groq") == nil)
    #expect(book.model("gpt-4o-mini", of: "nobody") == nil)
    #expect(book.model("gpt-4o", of: "openai") == nil)
  }

  @Test("A fine-tuned model has the price of its base as the file states it, else none")
  func fineTuned() throws {
    var file = Fixtures.openAI
    file.models.append(Fixtures.renamed(Fixtures.dated, "ft:dated"))
    let book = try PriceBook(providers: [file], rates: Fixtures.rates())
    for name in ["ft:dated", "ft:dated:org::id", "ft:dated:org:name:id:ckpt-step-9"] {
      #expect(book.model(name, of: "openai")?.name == "ft:dated")
      #expect(book.model(name)?.name == "ft:dated")
    }
    for name in ["ft:gpt-4o-mini:org::id", "ft:", "ft::", "dated:org", "ft:dated2:org::id"] {
      #expect(book.model(name) == nil, "\(name)")
    }
  }

  @Test("Without a provider, the first whose file has the model is taken")
  func providerOfModel() {
    #expect(book.model("whisper")?.provider == "groq")
    #expect(book.model("sol")?.provider == "openai")
    #expect(book.model("unheard-of") == nil)
    #expect(book.providers == ["openai", "groq"])
    #expect(book.allModels.map(\.name).prefix(2) == ["gpt-4o-mini", "sol"])
  }

  @Test("Without a stated maximum, a model's output is bounded by its context, else by a constant")
  func largestOutput() {
    #expect(Fixtures.model("gpt-4o-mini").largestOutput == 16_384)
    #expect(Fixtures.model("sol").largestOutput == 1_050_000)
    #expect(Fixtures.model("dated").largestOutput == PricedModel.assumedLargestOutput)
  }

  @Test("Files that contradict themselves make no book")
  func contradictions() {
    var openAI = Fixtures.openAI
    refuses(.duplicateProvider("openai"), [openAI, openAI])

    openAI.currency = Fixtures.brl
    refuses(.unsupportedCurrency(provider: "openai", currency: Fixtures.brl), [openAI])

    openAI = Fixtures.openAI
    openAI.models.append(Fixtures.renamed(Fixtures.audio, "gpt-4o-mini-2024-07-18"))
    refuses(.duplicateName(provider: "openai", name: "gpt-4o-mini-2024-07-18"), [openAI])

    openAI.models = [Fixtures.renamed(Fixtures.audio, "line\nbreak")]
    refuses(.invalidName("line\nbreak"), [openAI])

    openAI.models = [Fixtures.dated]
    openAI.models[0].prices.reverse()
    refuses(.invalidDates(provider: "openai", model: "dated"), [openAI])

    openAI.models[0].prices = []
    refuses(.invalidDates(provider: "openai", model: "dated"), [openAI])

    openAI.models = [Fixtures.mini]
    openAI.models[0].prices[0].tiers["default"] = SteppedPrices(PriceTable())
    refuses(.invalidName("default"), [openAI])
  }

  private func refuses(
    _ error: PricingError, _ files: [ProviderPrices],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(throws: error, sourceLocation: sourceLocation) {
      try PriceBook(providers: files, rates: .usdOnly)
    }
  }
}
