internal import Budgets
internal import Configuration
internal import Metering
internal import Money
internal import Pricing
internal import Time

/// What a request may cost, and from whom: its provider, its model's prices and its bound.
struct Offer {
  let provider: Provider
  /// Nil where the policy lets a model pass that the price book doesn't have.
  let model: PricedModel?
  let demand: Demand
  private let rates: ExchangeRates
  private let instant: Timestamp
  private let askedModel: String
  private let askedTier: String?
  private let askedImage: ImageVariant?

  /// The model by the name of the price book, so that budgets per model count its aliases too.
  var modelName: String { model?.name ?? askedModel }

  /// Whether the input is the provider's own count, not the bound of its bytes.
  let isCounted: Bool

  /// - Parameter countedInput: the most input tokens by the provider's own count, which replaces
  ///   the bound where it is lower.
  init(
    for request: MeteredRequest, in journey: Journey, countedInput: Int64? = nil
  ) throws(Refusal) {
    let facts = request.facts
    let rules = journey.rules
    (provider, model) = try Offer.find(request, rules, journey)
    rates = rules.prices.rates
    instant = journey.startedAt
    askedModel = facts.model
    askedTier = facts.serviceTier
    askedImage = facts.imageVariant
    let expectation = journey.gateway.experience.expectation(
      provider: provider.name, model: model?.name ?? facts.model)
    var boundRequest = Offer.boundRequest(facts, model, overhead: expectation.overhead)
    if let countedInput, countedInput < boundRequest.textInputTokens {
      boundRequest.textInputTokens = countedInput
    }
    isCounted = countedInput != nil
    let bound = try Offer.bound(boundRequest, facts, model, at: instant)
    let estimate = Offer.estimate(facts, bound, expectation)
    demand = Demand(
      inputTokens: bound.inputTokens, fixedCost: bound.fixedCost,
      outputTokenCost: bound.outputTokenCost, choices: bound.choices,
      largestOutput: bound.largestOutput, limitIsExplicit: facts.outputLimit != nil,
      recentOutput: expectation.longOutput, estimate: estimate, rates: rates)
  }

  // MARK: Which model of which provider

  /// SPEC §4.1: the provider that the path names; else the one whose price book has the model;
  /// for models that nobody has, the header's, else the first.
  private static func find(
    _ request: MeteredRequest, _ rules: RuleBook, _ journey: Journey
  ) throws(Refusal) -> (Provider, PricedModel?) {
    let name = request.facts.model
    if let providerName = request.providerName {
      guard let provider = rules.provider(providerName) else {
        throw .unknownProvider(providerName)
      }
      if let model = rules.prices.model(name, of: providerName) { return (provider, model) }
      return (provider, try replacement(for: name, rules, of: providerName))
    }
    if let model = rules.prices.model(name), let provider = rules.provider(model.provider) {
      return (provider, model)
    }
    let provider = try journey.defaultProvider()
    return (provider, try replacement(for: name, rules, of: provider.name))
  }

  /// What the policy says of a model without a price; nil lets it pass for nothing.
  private static func replacement(
    for name: String, _ rules: RuleBook, of provider: String
  ) throws(Refusal) -> PricedModel? {
    switch rules.settings.metering.unknownModel {
    case .deny: throw .modelNotPriced(model: name, detail: nil)
    case .free: return nil
    case .priced(let other):
      guard let model = rules.prices.model(other, of: provider) ?? rules.prices.model(other)
      else { throw .modelNotPriced(model: name, detail: nil) }
      return model
    }
  }

  // MARK: The bound

  private static func boundRequest(
    _ facts: RequestFacts, _ model: PricedModel?, overhead: Int64
  ) -> BoundRequest {
    let all = facts.boundInputTokens + overhead
    let images = facts.boundImageTokens
    let audio = facts.boundAudioTokens
    var text = all - images - audio
    // What the provider fetches itself fills the model's context at most, each time.
    if facts.input.isOpenEnded {
      let context = model?.declaration.contextTokens ?? PricedModel.assumedLargestOutput
      text = max(text, context * facts.passes)
    }
    return BoundRequest(
      textInputTokens: text, imageInputTokens: images, audioInputTokens: audio,
      outputLimit: facts.outputLimit.map { $0 + facts.boundPredictionTokens },
      choices: facts.choices, hasAudioOutput: facts.asksForAudio,
      hasImageOutput: facts.asksForImages, audioMilliseconds: facts.audioMilliseconds,
      characters: facts.characters, images: facts.images, calls: facts.calls)
  }

  private static func bound(
    _ request: BoundRequest, _ facts: RequestFacts, _ model: PricedModel?, at instant: Timestamp
  ) throws(Refusal) -> Bound {
    guard let model else { return Bound(withoutCost: request) }
    do {
      return try model.bound(
        of: request,
        in: PricingContext(instant: instant, tier: facts.serviceTier, image: facts.imageVariant))
    } catch {
      throw .modelNotPriced(model: facts.model, detail: Offer.describe(error))
    }
  }

  private static func describe(_ error: PricingError) -> String? {
    switch error {
    case .tierNotPriced(_, let tier): "service tier \(tier)"
    case .quantityNotPriced(_, let quantity): "\(quantity.priceKey)"
    default: nil
    }
  }

  // MARK: The estimate

  /// What soft budgets hold: the estimated input, and the model's mean output.
  private static func estimate(
    _ facts: RequestFacts, _ bound: Bound, _ expectation: ModelExperience.Expectation
  ) -> Consumption {
    let output = min(
      bound.largestOutput, expectation.meanOutput ?? Offer.assumedMeanOutput)
    let input = min(bound.inputTokens, facts.estimatedInputTokens)
    let share = ExactAmount(
      units: bound.fixedCost.units / Int128(max(1, bound.inputTokens)) * Int128(input))
    return Consumption(
      tokens: input + output * bound.choices,
      cost: share + bound.outputTokenCost * (output * bound.choices))
  }

  /// The mean output of a model that hasn't answered yet.
  private static let assumedMeanOutput: Int64 = 256

  // MARK: The price of an answer

  /// The cost of what an answer used: by the model and tier that answered where they are priced,
  /// else by those asked for. Nil where nothing is charged by policy.
  func charge(
    for usage: Usage, answeredBy responseModel: String?, tier: String?, in rules: RuleBook
  ) throws(PricingError) -> (tariff: Tariff, cost: Cost)? {
    guard let model else { return nil }
    let answering = responseModel.flatMap { rules.prices.model($0, of: provider.name) } ?? model
    let tariff = try answering.tariff(
      in: PricingContext(
        instant: instant, tier: tier ?? Offer.billedTier(askedTier), image: askedImage),
      inputTokens: usage.inputTokens)
    return (tariff, try tariff.cost(of: usage))
  }

  /// An answer that names no tier is billed by the one asked for, and `auto` chooses the base.
  private static func billedTier(_ asked: String?) -> String? {
    asked == "auto" ? nil : asked
  }
}

extension RequestFacts {
  /// The kind of images that are to be made; nil unless both size and quality are named.
  var imageVariant: ImageVariant? {
    guard let imageSize, let imageQuality else { return nil }
    return ImageVariant(size: imageSize, quality: imageQuality)
  }
}
