import Money
import Pricing
import Testing
import Time

@Suite struct TariffRecordTests {
  @Test("A record reads as what was charged, beside the book's prices, line by line")
  func text() throws {
    let override = try PriceOverride(label: "acme/1", prices: Fixtures.table([.output: "0.9"]))
    let tariff = try Fixtures.model("sol").overridden(by: override).tariff(
      in: Fixtures.context(tier: "flex"), inputTokens: 300_000)
    #expect(
      tariff.record == """
        catraca tariff 2
        file pricing/openai.yaml
        as_of 2026-11-01
        provider openai
        model sol
        tier flex
        above_input_tokens 272000
        override acme/1
        price.input 4
        price.cached_input 0.4
        price.cache_write 2.5
        price.cache_write_12h 4
        price.output 0.9
        price.per_call 0.01
        book.input 4
        book.cached_input 0.4
        book.cache_write 2.5
        book.cache_write_12h 4
        book.output 15
        book.per_call 0.01
        billing BRL
        rate.BRL 5.4
        rate.USD 1

        """)
    let parts = tariff.version.split(separator: "#")
    #expect(parts.first == "pricing/openai.yaml@2026-11-01")
    #expect(parts.last?.dropFirst(12) == ":sol/flex>272000+acme/1")
  }

  @Test(
    "A tariff read from its record is the same, and so are its costs",
    arguments: [
      ("gpt-4o-mini", nil), ("gpt-4o-mini", "batch"), ("gpt-4o-mini", "mystery"), ("sol", "flex"),
      ("whisper", nil), ("tts-1", nil), ("painter", nil), ("dated", nil),
    ] as [(String, String?)])
  func roundTrip(model: String, tier: String?) throws {
    let context = Fixtures.context(tier: tier)
    let tariff = try Fixtures.model(model).tariff(in: context, inputTokens: 1_000_000)
    let read = try Tariff(record: tariff.record)
    #expect(read.version == tariff.version)
    #expect(read.record == tariff.record)
    let usage = try #require(
      Usage(
        inputTokens: 1_000, cachedInputTokens: 10, outputTokens: 70, audioMilliseconds: 1,
        characters: 1, images: 1, calls: 1))
    #expect(result(read, usage) == result(tariff, usage))
    #expect(read.lines(of: usage) == tariff.lines(of: usage))
  }

  private func result(_ tariff: Tariff, _ usage: Usage) -> Result<Cost, PricingError> {
    Result { () throws(PricingError) in try tariff.cost(of: usage) }
  }

  @Test("The version changes with every price, rate, tier, step and day, and with nothing else")
  func versions() throws {
    func version(
      tier: String? = nil, inputTokens: Int64 = 1, rate: String = "5.40",
      change: (inout ProviderPrices) -> Void = { _ in }
    ) throws -> String {
      var openAI = Fixtures.openAI
      change(&openAI)
      let book = try PriceBook(providers: [openAI], rates: Fixtures.rates(brl: rate))
      let model = try #require(book.model("sol"))
      return try model.tariff(in: Fixtures.context(tier: tier), inputTokens: inputTokens).version
    }
    let versions = [
      try version(), try version(tier: "flex"), try version(tier: "mystery"),
      try version(inputTokens: 300_000), try version(rate: "5.41"),
      try version { $0.asOf = $0.asOf.adding(days: 1) },
      try version { $0.file = "other.yaml" },
      try version { $0.models[1].prices[0].base.table[.output] = Fixtures.price("20.01") },
      try version { $0.models[1].minimumSeconds = 1 },
      try version { $0.surcharges["web_search"] = Fixtures.price("0.011") },
    ]
    #expect(Set(versions).count == versions.count)
    #expect(try version() == version { $0.models.removeFirst() })
    #expect(try version() == version(tier: "default"))
  }

  @Test("What isn't a record is refused at its line")
  func malformed() throws {
    let record = try Fixtures.model("gpt-4o-mini").tariff(in: Fixtures.now, inputTokens: 1).record
    let lines = record.split(separator: "\n", omittingEmptySubsequences: false)
    for index in lines.indices.dropLast() {
      for damaged in ["", "nonsense", String(lines[index]) + "\nprice.nothing 1"] {
        var copy = lines
        copy[index] = damaged[...]
        #expect(throws: PricingError.self, "line \(index + 1): \(damaged)") {
          try Tariff(record: copy.joined(separator: "\n"))
        }
      }
    }
    #expect(throws: PricingError.malformedRecord(line: 1)) { try Tariff(record: "") }
    #expect(throws: PricingError.malformedRecord(line: 1)) {
      try Tariff(record: String(record.dropLast()))
    }
    let negative = record.replacing("price.input 0.15", with: "price.input -0.15")
    #expect(throws: PricingError.malformedRecord(line: 6)) { try Tariff(record: negative) }
  }
}
