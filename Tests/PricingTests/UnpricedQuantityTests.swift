import Money
import Pricing
import Testing

@Suite struct UnpricedQuantityTests {
  @Test(
    "A token without a price is charged at the dearest token's, and named",
    arguments: [
      // 90 text × 0.15 + 10 audio × 0.60.
      (Usage(inputTokens: 100, audioInputTokens: 10), 19_500, [PricedQuantity.audioInput]),
      (Usage(inputTokens: 1, imageInputTokens: 1), 600, [.imageInput]),
      (
        Usage(
          inputTokens: 2, cacheWriteTokens: 1, cacheWriteLongTokens: 1, outputTokens: 2,
          audioOutputTokens: 1, imageOutputTokens: 1),
        2_400, [.cacheWrite, .cacheWriteLong, .audioOutput, .imageOutput]
      ),
    ] as [(Usage?, Int64, [PricedQuantity])])
  func tokens(usage: Usage?, nanoUSD: Int64, unpriced: [PricedQuantity]) throws {
    let usage = try #require(usage)
    let tariff = try Fixtures.model("gpt-4o-mini").tariff(
      in: Fixtures.now, inputTokens: usage.inputTokens)
    let cost = try tariff.cost(of: usage)
    #expect(cost.nanoUSD.nanoUnits == nanoUSD)
    #expect(cost.unpriced == unpriced)
    #expect(tariff.lines(of: usage).filter(\.isUnpriced).map(\.quantity) == unpriced)
  }

  @Test(
    "With nothing of the same unit the whole hold is due",
    arguments: [
      ("whisper", Usage(inputTokens: 1, outputTokens: 1), [PricedQuantity.input, .output]),
      ("tts-1", Usage(audioMilliseconds: 1), [.minute]),
      ("gpt-4o-mini", Usage(characters: 1), [.character]),
    ] as [(String, Usage?, [PricedQuantity])])
  func unpriceable(model: String, usage: Usage?, quantities: [PricedQuantity]) throws {
    let usage = try #require(usage)
    let tariff = try Fixtures.model(model).tariff(in: Fixtures.now, inputTokens: 1)
    #expect(throws: PricingError.unpriceable(quantities)) { try tariff.cost(of: usage) }
  }

  @Test("A call without a price is recorded and named, not charged")
  func calls() throws {
    let tariff = try Fixtures.model("whisper").tariff(in: Fixtures.now, inputTokens: 0)
    let cost = try tariff.cost(of: #require(Usage(calls: 3)))
    #expect(cost.exact == .zero)
    #expect(cost.unpriced == [.call])
  }

  @Test("Audio that a model charges in tokens isn't charged again by its length")
  func measuredTwice() throws {
    let tariff = try Fixtures.model("gpt-audio").tariff(in: Fixtures.now, inputTokens: 10)
    let tokensAlone = try #require(Usage(inputTokens: 10, audioInputTokens: 10))
    let both = try #require(
      Usage(inputTokens: 10, audioInputTokens: 10, audioMilliseconds: 1_000))
    #expect(try tariff.cost(of: both) == tariff.cost(of: tokensAlone))
  }

  @Test("A cost that no money can say is an error, not a trap")
  func tooLarge() throws {
    var absurd = Fixtures.openAI
    absurd.models = [Fixtures.image]
    absurd.models[0].prices[0].base.table = Fixtures.table([.image: "9223372"])
    let book = try PriceBook(providers: [absurd], rates: Fixtures.rates())
    let tariff = try #require(book.model("painter")).tariff(in: Fixtures.now, inputTokens: 0)
    let usage = try #require(Usage(images: Usage.largestCount))
    #expect(throws: PricingError.amountTooLarge) { try tariff.cost(of: usage) }
  }
}
