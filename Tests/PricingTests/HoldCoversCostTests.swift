import Configuration
import Money
import Randomness
import Testing
import Time

@testable import Pricing

/// For every model of the shipped files: whatever an answer can use, it costs at most the bound.
@Suite struct HoldCoversCostTests {
  private static let runsPerTier = 12

  /// The models as the files price them, and each with random prices of a client's own.
  private static func models(_ random: inout SplitMix64) throws -> [PricedModel] {
    let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false)
      .dropLast(3).joined(separator: "/")
    let files = ["openai", "groq"].map { "\(folder)/config/pricing/\($0).yaml" }
    let book = try PriceBook(providers: try PricingFiles().read(files), rates: .usdOnly)
    return try book.allModels.flatMap { model in
      [model, model.overridden(by: try ownPrices(of: model, &random))]
    }
  }

  private static func ownPrices(
    of model: PricedModel, _ random: inout SplitMix64
  ) throws -> PriceOverride {
    let table = model.declaration.prices.last?.base.table ?? PriceTable()
    var own = PriceTable()
    for quantity in PricedQuantity.allCases
    where table[quantity] != nil && Bool.random(using: &random) {
      own[quantity] = FixedDecimal(scaled: random.magnitude(below: 1 << 50))
    }
    return try PriceOverride(label: "acme/1", prices: own)
  }

  @Test(
    "No usage that a request can have costs more than was held", arguments: [1, 2, 3] as [UInt64])
  func covered(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var compared = 0
    for model in try Self.models(&random) {
      let tiers = model.declaration.prices.last?.tiers.keys.sorted() ?? []
      for asked in [nil, "auto", "default"] + tiers.map(Optional.init) {
        for _ in 0..<Self.runsPerTier {
          compared += try compare(model, asked: asked, seed: seed, &random) ? 1 : 0
        }
      }
    }
    #expect(compared > 10_000, "nearly every model can be asked for something")
  }

  /// Returns false where the request would be refused.
  private func compare(
    _ model: PricedModel, asked: String?, seed: UInt64, _ random: inout SplitMix64
  ) throws -> Bool {
    let context = Fixtures.context(tier: asked)
    let request = RandomRequest(of: model, &random)
    let bound: Bound
    do {
      bound = try model.bound(of: request.bounded, in: context)
    } catch {
      return false
    }
    let served = answeringTiers(asked, model).randomElement(using: &random) ?? nil
    let usage = try #require(request.usage(within: bound, &random))
    let tariff = try model.tariff(
      in: Fixtures.context(tier: served), inputTokens: usage.inputTokens)
    let cost = try tariff.cost(of: usage).exact
    let held = bound.cost(output: bound.largestOutput)
    #expect(
      cost <= held,
      "seed \(seed): \(tariff.version) asked as \(asked ?? "-"): \(request.bounded), \(usage)")
    return true
  }

  /// The tiers that an answer may name, by the one asked for.
  private func answeringTiers(_ asked: String?, _ model: PricedModel) -> [String?] {
    let hasPriority = model.declaration.prices.last?.tiers["priority"] != nil
    switch asked {
    case nil, "auto": return [nil, "default"] + (hasPriority ? ["priority"] : [])
    case "batch": return ["batch"]
    case let tier: return [tier, "default"]
    }
  }
}

/// A request that a client may make to a model, and the usage that its answer may have.
private struct RandomRequest {
  private(set) var bounded = BoundRequest(outputLimit: nil)
  private let priced: PriceTable

  private static let largest: Int64 = 1_200_000

  init(of model: PricedModel, _ random: inout SplitMix64) {
    let table = model.declaration.prices.last?.base.table ?? PriceTable()
    priced = table
    func some(_ isPriced: Bool, _ random: inout SplitMix64) -> Int64 {
      isPriced && Bool.random(using: &random) ? random.magnitude(below: Self.largest) : 0
    }
    bounded.textInputTokens = some(table[.input] != nil, &random)
    bounded.imageInputTokens = some(table[.input] != nil, &random)
    bounded.audioInputTokens = some(table[.audioInput] != nil, &random)
    bounded.hasAudioOutput = table[.audioOutput] != nil && Bool.random(using: &random)
    bounded.hasImageOutput = table[.imageOutput] != nil && Bool.random(using: &random)
    let writes = bounded.hasAudioOutput || bounded.hasImageOutput || table[.output] != nil
    bounded.outputLimit =
      writes ? (Bool.random(using: &random) ? random.magnitude(below: 200_000) : nil) : 0
    bounded.choices = Int64.random(in: 1...3, using: &random)
    bounded.audioMilliseconds = some(table[.minute] != nil || table[.second] != nil, &random)
    bounded.characters = some(table[.character] != nil, &random)
    bounded.images = some(table[.image] != nil, &random) / 1000
    bounded.calls = Int64.random(in: 0...3, using: &random)
  }

  /// Parts of what the model has prices for; input of every kind may be read from the cache or
  /// written to it, and images may be counted as text.
  func usage(within bound: Bound, _ random: inout SplitMix64) -> Usage? {
    func part(of rest: inout Int64, if isPossible: Bool = true) -> Int64 {
      let taken = isPossible ? Int64.random(in: 0...rest, using: &random) : 0
      rest -= taken
      return taken
    }
    var (text, images) = (bounded.textInputTokens, bounded.imageInputTokens)
    var sound = bounded.audioInputTokens
    let canCache = priced[.cachedInput] != nil
    let imageInput = part(of: &images)
    let cachedSound = part(of: &sound, if: canCache)
    let audioInput = sound
    // Some of what was announced isn't sent.
    text -= Int64.random(in: 0...text, using: &random) / 2
    let input = text + images + cachedSound + imageInput + audioInput
    var other = text + images
    let cached = part(of: &other, if: canCache) + cachedSound
    let written = part(of: &other, if: priced[.cacheWrite] != nil)
    let writtenLong = part(of: &other, if: priced[.cacheWriteLong] != nil)
    var output = bound.largestOutput * bounded.choices
    output -= Int64.random(in: 0...output, using: &random) / 2
    var rest = output
    let audioOutput = part(of: &rest, if: bounded.hasAudioOutput)
    let imageOutput = part(of: &rest, if: bounded.hasImageOutput)
    let hasText = priced[.output] != nil
    let made = hasText ? output : audioOutput + imageOutput
    return Usage(
      inputTokens: input, cachedInputTokens: cached, cacheWriteTokens: written,
      cacheWriteLongTokens: writtenLong, audioInputTokens: audioInput, imageInputTokens: imageInput,
      outputTokens: made, reasoningTokens: hasText ? part(of: &rest) : 0,
      audioOutputTokens: audioOutput, imageOutputTokens: imageOutput,
      audioMilliseconds: bounded.audioMilliseconds, characters: bounded.characters,
      images: bounded.images, calls: bounded.calls)
  }
}
