import Money
import Pricing
import Randomness
import Testing

@Suite struct BoundTests {
  @Test(
    "A bound is the dearest that a request can reach",
    arguments: [
      // Without a tier, OpenAI may serve as priority: 1,000 × 0.25; 1.00 a million output.
      ("gpt-4o-mini", nil, 1_000, "0.000250000", "0.000001000"),
      ("gpt-4o-mini", "auto", 1_000, "0.000250000", "0.000001000"),
      ("gpt-4o-mini", "default", 1_000, "0.000150000", "0.000000600"),
      ("gpt-4o-mini", "fast", 1_000, "0.000250000", "0.000001000"),
      ("gpt-4o-mini", "batch", 1_000, "0.000075000", "0.000000300"),
      // The dearest input is a cache write for twelve hours, and flex may be served as base.
      ("sol", "default", 1_000, "0.008000000", "0.000020000"),
      ("sol", "flex", 1_000, "0.008000000", "0.000020000"),
      // Above the step its output price holds too; the long step's cache write is dearest.
      ("sol", "default", 272_001, "2.720010000", "0.000030000"),
      ("sol", "default", 272_000, "2.176000000", "0.000020000"),
    ] as [(String, String?, Int64, String, String)])
  func dearest(
    model: String, tier: String?, inputTokens: Int64, fixed: String, outputToken: String
  ) throws {
    let bound = try Fixtures.model(model).bound(
      of: BoundRequest(textInputTokens: inputTokens, outputLimit: nil),
      in: Fixtures.context(tier: tier))
    #expect(bound.fixedCost.decimalText == fixed)
    #expect(bound.outputTokenCost.decimalText == outputToken)
    #expect(bound.inputTokens == inputTokens)
  }

  @Test("What isn't kept for twelve hours in the cache is held at the dearest of the rest")
  func shortCache() throws {
    func fixed(_ mayCacheLong: Bool) throws -> String {
      try Fixtures.model("sol").bound(
        of: BoundRequest(
          textInputTokens: 1_000, outputLimit: 1, mayCacheLong: mayCacheLong),
        in: Fixtures.context(tier: "default")
      ).fixedCost.decimalText
    }
    #expect(try fixed(true) == "0.008000000")
    #expect(try fixed(false) == "0.005000000")
  }

  @Test("Each choice may have the largest output; a request's own limit stands for the model's")
  func choices() throws {
    let model = Fixtures.model("gpt-4o-mini")
    let limited = try model.bound(
      of: BoundRequest(textInputTokens: 10, outputLimit: 100, choices: 3),
      in: Fixtures.context(tier: "default"))
    #expect(limited.largestOutput == 100)
    #expect(limited.tokens(output: 100) == 310)
    #expect(limited.cost(output: 100).decimalText == "0.000181500")
    let open = try model.bound(
      of: BoundRequest(textInputTokens: 10, outputLimit: nil), in: Fixtures.now)
    #expect(open.largestOutput == 16_384)
  }

  @Test("Absurd requests have an unlimited bound, not a trap")
  func absurd() throws {
    let bound = try Fixtures.model("gpt-4o-mini").bound(
      of: BoundRequest(
        textInputTokens: .max, imageInputTokens: .max, outputLimit: .max, choices: .max),
      in: Fixtures.now)
    #expect(bound.tokens(output: .max) == .max)
    #expect(bound.inputTokens == .max)
    #expect(bound.cost(output: .max).roundedUp(in: .usd, rate: .one) == nil)
  }

  @Test(
    "What a request shows and the book has no price for is refused",
    arguments: [
      (
        "gpt-4o-mini", "flex", BoundRequest(outputLimit: 1),
        PricingError.tierNotPriced(model: "gpt-4o-mini", tier: "flex")
      ),
      (
        "gpt-4o-mini", nil, BoundRequest(audioInputTokens: 1, outputLimit: 1),
        .quantityNotPriced(model: "gpt-4o-mini", quantity: .audioInput)
      ),
      (
        "gpt-4o-mini", nil, BoundRequest(outputLimit: 1, hasAudioOutput: true),
        .quantityNotPriced(model: "gpt-4o-mini", quantity: .audioOutput)
      ),
      (
        "whisper", nil, BoundRequest(textInputTokens: 1, outputLimit: 0),
        .quantityNotPriced(model: "whisper", quantity: .input)
      ),
      (
        "tts-1", nil, BoundRequest(outputLimit: nil, characters: 1),
        .quantityNotPriced(model: "tts-1", quantity: .output)
      ),
      (
        "tts-1", nil, BoundRequest(outputLimit: 0, audioMilliseconds: 1),
        .quantityNotPriced(model: "tts-1", quantity: .minute)
      ),
    ] as [(String, String?, BoundRequest, PricingError)])
  func refused(model: String, tier: String?, request: BoundRequest, error: PricingError) {
    #expect(throws: error) {
      try Fixtures.model(model).bound(of: request, in: Fixtures.context(tier: tier))
    }
  }

  @Test(
    "Work that isn't tokens is bounded by its own measure",
    arguments: [
      ("whisper", BoundRequest(outputLimit: 0, audioMilliseconds: 1), "0.001000000"),
      ("tts-1", BoundRequest(outputLimit: 0, characters: 1_000), "0.015000000"),
      ("painter", BoundRequest(outputLimit: 0, images: 2), "0.160000000"),
      ("gpt-4o-mini", BoundRequest(outputLimit: 0, calls: 2), "0.020000000"),
      ("whisper", BoundRequest(outputLimit: 0, calls: 2), "0.000000000"),
    ])
  func otherUnits(model: String, request: BoundRequest, cost: String) throws {
    let bound = try Fixtures.model(model).bound(of: request, in: Fixtures.now)
    #expect(bound.cost(output: bound.largestOutput).decimalText == cost)
  }

  @Test("Images are input: bounded by their own price, or by any token's where they have none")
  func images() throws {
    let request = BoundRequest(imageInputTokens: 1_000, outputLimit: 0)
    let context = Fixtures.context(tier: "default")
    let bound = try Fixtures.model("gpt-4o-mini").bound(of: request, in: context)
    #expect(bound.fixedCost.decimalText == "0.000600000")
  }

  @Test(
    "No usage within its bound costs more than the bound, in any tier that it may be served in",
    arguments: [
      ("gpt-4o-mini", nil, [nil, "default", "priority"]), ("gpt-4o-mini", "batch", ["batch"]),
      ("sol", nil, ["default", "priority"]), ("sol", "flex", ["default", "flex"]),
      ("gpt-audio", nil, [nil]),
    ] as [(String, String?, [String?])])
  func soundness(model: String, requested: String?, served: [String?]) throws {
    var random = SplitMix64(seed: 20_261_122)
    let model = Fixtures.model(model)
    let hasAudio = model.name == "gpt-audio"
    for _ in 0..<1_000 {
      let request = BoundRequest(
        textInputTokens: random.magnitude(below: 1_000_000),
        audioInputTokens: hasAudio ? random.magnitude(below: 1_000_000) : 0,
        outputLimit: random.magnitude(below: 100_000), choices: Int64.random(in: 1...4),
        hasAudioOutput: hasAudio, calls: random.magnitude(below: 4))
      let bound = try model.bound(of: request, in: Fixtures.context(tier: requested))
      let drawn = random.usage(within: request, hasCacheWrite: model.name == "sol")
      let usage = try #require(drawn)
      let tariff = try model.tariff(
        in: Fixtures.context(tier: served.randomElement(using: &random) ?? nil),
        inputTokens: usage.inputTokens)
      let cost = try tariff.cost(of: usage)
      let limit = request.outputLimit ?? 0
      #expect(cost.exact <= bound.cost(output: limit), "\(request) \(usage)")
      #expect(usage.totalTokens <= bound.tokens(output: limit))
      #expect(cost.unpriced.isEmpty)
      if cost.exact > bound.cost(output: limit) { return }
    }
  }
}

extension SplitMix64 {
  /// A usage that a request may have, often the largest.
  fileprivate mutating func usage(within request: BoundRequest, hasCacheWrite: Bool) -> Usage? {
    let text = part(of: request.textInputTokens)
    let cached = part(of: hasCacheWrite || !request.hasAudioOutput ? text : 0)
    let written = part(of: hasCacheWrite ? text - cached : 0)
    let writtenLong = part(of: hasCacheWrite ? text - cached - written : 0)
    let audio = part(of: request.audioInputTokens)
    let output = part(of: (request.outputLimit ?? 0) * request.choices)
    let reasoning = part(of: output)
    return Usage(
      inputTokens: text + audio, cachedInputTokens: cached, cacheWriteTokens: written,
      cacheWriteLongTokens: writtenLong, audioInputTokens: audio, outputTokens: output,
      reasoningTokens: reasoning,
      audioOutputTokens: request.hasAudioOutput ? part(of: output - reasoning) : 0,
      calls: part(of: request.calls))
  }

  private mutating func part(of whole: Int64) -> Int64 {
    switch Int.random(in: 0..<3, using: &self) {
    case 0: 0
    case 1: whole
    default: Int64.random(in: 0...whole, using: &self)
    }
  }
}
