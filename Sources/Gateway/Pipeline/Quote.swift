internal import Budgets
internal import Configuration
internal import Metering
internal import Money
internal import Pricing
internal import Time

/// The quote of a request: its provider, its model's prices, and the bound of its cost.
///
/// A class for the same reason as `MeteredRequest`.
final class Quote: Sendable {
  let provider: Provider
  let terms: BillingTerms
  let demand: Demand
  private let askedModel: String

  /// The model by the name of the price book, so that budgets per model count its aliases too.
  var modelName: String { terms.model?.name ?? askedModel }

  /// How many tokens the model's texts make, as far as its answers told.
  let rates: TokenRates

  /// Whether the input is the provider's own count, not the bound of its bytes.
  let isCounted: Bool

  /// How often the provider may call its tools, where Catraca sets that.
  let callLimit: Int64?

  /// The addition to the bound, learned from answers of such requests that exceeded theirs.
  let overhead: LearnedOverhead.Excess

  /// - Parameters:
  ///   - countedInput: the most input tokens by the provider's own count, which replaces the bound
  ///     where it is lower.
  ///   - callLimit: how often the provider may call its tools, for a request that doesn't say.
  init(
    for request: MeteredRequest, in pipeline: RequestPipeline, countedInput: Int64? = nil,
    callLimit: Int64? = nil
  ) throws(Refusal) {
    let facts = callLimit.map { request.facts.limitingCalls(to: $0) } ?? request.facts
    let rules = pipeline.rules
    let instant = pipeline.startedAt
    let clientID = request.identity.client.id
    let (provider, model) = try Quote.find(
      facts.model, of: request.providerName, for: clientID, in: pipeline,
      isFree: facts.operation == .moderation)
    self.provider = provider
    let markup = rules.clients.markup(of: request.identity.client)
    terms = BillingTerms(
      clientID: clientID, markup: markup, provider: provider.name, model: model,
      modelWithoutPrice: Quote.isWithoutPrice(facts, of: provider.name, model, rules)
        ? facts.model : nil,
      instant: instant, askedTier: facts.serviceTier, completionWindow: facts.completionWindow,
      askedImage: facts.imageVariant)
    askedModel = facts.model
    let expectation = pipeline.gateway.statistics.expectation(
      provider: provider.name, model: model?.name ?? facts.model)
    rates = expectation.rates
    self.callLimit = callLimit
    isCounted = countedInput != nil
    let severalRuns = SeveralRuns(facts, rules.settings.metering)
    var boundRequest = Quote.boundRequest(facts, model)
    severalRuns.raise(&boundRequest)
    if let counted = countedInput.map(severalRuns.times), counted < boundRequest.textInputTokens {
      boundRequest.textInputTokens = counted
    }
    var overhead = pipeline.gateway.overhead.excess(
      at: instant,
      for: LearnedOverhead.Subject(
        client: clientID, provider: provider.name, model: model?.name ?? facts.model,
        kind: facts.kind))
    boundRequest.add(&overhead, isCounted: isCounted)
    var bound = try Quote.bound(boundRequest, facts, model, at: instant)
    for name in facts.otherModels.names where facts.operation != .moderation {
      guard let other = try Quote.model(name, of: provider, rules, for: clientID) else { continue }
      bound = bound.dearer(try Quote.bound(boundRequest, facts, other, at: instant))
    }
    bound = bound.with(markup)
    if bound.largestOutput == 0 { overhead.outputTokens = 0 }
    self.overhead = overhead
    let drawing = try Quote.drawing(facts, of: provider, rules, for: clientID, at: instant)
    let estimate = Quote.estimate(facts, bound, expectation)
    demand = Demand(
      inputTokens: (bound.inputTokens + drawing.tokens).addingClamped(overhead.outputTokens),
      fixedCost: bound.fixedCost + drawing.cost.with(markup)
        + bound.outputTokenCost * overhead.outputTokens,
      outputTokenCost: bound.outputTokenCost, choices: bound.choices,
      largestOutput: bound.largestOutput,
      limitIsExplicit: facts.outputLimit != nil || !request.endpoint.takesOutputLimit,
      recentOutput: expectation.longOutput, estimate: estimate, rates: rules.prices.rates)
  }

  /// The same with another demand.
  init(like other: Quote, demand: Demand) {
    provider = other.provider
    terms = other.terms
    askedModel = other.askedModel
    rates = other.rates
    isCounted = other.isCounted
    callLimit = other.callLimit
    overhead = other.overhead
    self.demand = demand
  }

  // MARK: Which model of which provider

  /// The provider that the path names; else the one whose price book has the model; for models
  /// without a price, the header's, else the first (article Apps).
  ///
  /// - Parameters:
  ///   - providerName: that of the path, if it names one.
  ///   - client: may have prices of its own.
  ///   - isFree: whether the model needs no price, since its provider charges nothing for what is
  ///     asked.
  static func find(
    _ name: String, of providerName: String?, for client: String, in pipeline: RequestPipeline,
    isFree: Bool = false
  ) throws(Refusal) -> (provider: Provider, model: PricedModel?) {
    let rules = pipeline.rules
    if let providerName {
      let provider = try pipeline.provider(named: providerName)
      if let model = rules.model(name, of: providerName, for: client) { return (provider, model) }
      if isFree { return (provider, nil) }
      return (provider, try replacement(for: name, rules, of: providerName, client))
    }
    if let model = rules.model(name, for: client),
      let provider = rules.provider(model.provider, for: client)
    {
      return (provider, model)
    }
    let provider = try pipeline.provider(named: nil)
    if isFree { return (provider, nil) }
    return (provider, try replacement(for: name, rules, of: provider.name, client))
  }

  /// A model that may answer in place of the one that was asked for, by the same rules; nil where
  /// the policy lets it pass for nothing.
  private static func model(
    _ name: String, of provider: Provider, _ rules: RulesSnapshot, for client: String
  ) throws(Refusal) -> PricedModel? {
    if let model = rules.model(name, of: provider.name, for: client) { return model }
    return try replacement(for: name, rules, of: provider.name, client)
  }

  /// The refusal of a model without a price by `metering.unknown_model`; nil lets it pass for
  /// nothing.
  private static func replacement(
    for name: String, _ rules: RulesSnapshot, of provider: String, _ client: String
  ) throws(Refusal) -> PricedModel? {
    switch rules.settings.metering.unknownModel {
    case .deny: throw .modelNotPriced(name, of: provider)
    case .free: return nil
    case .priced(let other):
      guard
        let model = rules.model(other, of: provider, for: client)
          ?? rules.model(other, for: client)
      else { throw .modelNotPriced(name, of: provider) }
      return model
    }
  }

  // MARK: The bound

  private static func boundRequest(
    _ facts: RequestFacts, _ model: PricedModel?
  ) -> BoundRequest {
    let all = facts.boundInputTokens
    let images = facts.boundImageTokens
    var audio = facts.boundAudioTokens
    var text = all - images - audio
    let context = model?.declaration.contextTokens
    // A sound within a conversation is in the model's context with the rest.
    if facts.operation == .chat, let context { audio = min(audio, context) }
    if facts.input.isOpenEnded {
      // Content that the provider fetches itself fills at most the model's context, each time.
      let each = context ?? PricedModel.assumedLargestOutput
      text = max(text, each.multipliedClamped(by: facts.passes))
    } else if facts.operation == .embedding, let context {
      text = min(text, context.multipliedClamped(by: max(1, facts.input.messages)))
    }
    var request = BoundRequest(
      textInputTokens: text, imageInputTokens: images, audioInputTokens: audio,
      outputLimit: facts.outputLimit.map { $0.addingClamped(facts.boundPredictionTokens) },
      choices: facts.choices, hasAudioOutput: facts.asksForAudio,
      hasImageOutput: facts.asksForImages, audioMilliseconds: facts.audioMilliseconds,
      characters: facts.characters, images: facts.images, calls: facts.calls,
      mayCacheLong: facts.mayCacheLong)
    if let model { request.keepOnly(pricedBy: model) }
    return request
  }

  private static func bound(
    _ request: BoundRequest, _ facts: RequestFacts, _ model: PricedModel?, at instant: Timestamp
  ) throws(Refusal) -> Bound {
    guard let model else { return Bound(withoutCost: request) }
    do {
      return try model.bound(
        of: request,
        in: PricingContext(
          instant: instant, tier: facts.serviceTier, completionWindow: facts.completionWindow,
          image: facts.imageVariant, calls: facts.callSurcharges))
    } catch {
      throw Quote.refusal(error, facts, model, at: instant)
    }
  }

  /// The most that a tool can use and cost that draws, which is billed by its own model.
  private static func drawing(
    _ facts: RequestFacts, of provider: Provider, _ rules: RulesSnapshot, for client: String,
    at instant: Timestamp
  ) throws(Refusal) -> Consumption {
    guard let name = facts.imageToolModel else { return .zero }
    guard let model = rules.model(name, of: provider.name, for: client) else {
      throw .modelNotPriced(
        model: facts.model, detail: "tool image_generation with \(name)",
        MissingPrice(provider: provider.name, model: name, dimension: .model))
    }
    let declared = model.declaration
    let request = BoundRequest(
      textInputTokens: declared.contextTokens ?? largestDrawing,
      imageInputTokens: facts.boundImageTokens,
      outputLimit: declared.maxOutputTokens ?? max(largestDrawing, facts.imageToolTokens),
      choices: max(1, facts.calls),
      hasImageOutput: true)
    var drawing = facts
    drawing.completionWindow = nil
    // Which price is missing, if one is.
    drawing.model = name
    let bound = try bound(request, drawing, model, at: instant)
    return Consumption(
      tokens: bound.tokens(output: bound.largestOutput),
      cost: bound.cost(output: bound.largestOutput))
  }

  /// Tokens of an image, and of what it is drawn by, where the price book doesn't say more: above
  /// the largest published of the first models.
  private static let largestDrawing: Int64 = 16_384

  /// The refusal of a request if one of its parts has no price.
  private static func refusal(
    _ error: PricingError, _ facts: RequestFacts, _ model: PricedModel, at instant: Timestamp
  ) -> Refusal {
    let (dimension, detail): (PriceDimension, String?) =
      switch error {
      case .tierNotPriced(_, let tier): (.tier(tier), "service tier \(tier)")
      case .completionWindowNotPriced(_, let window):
        (.completionWindow(window), "completion window \(window)")
      case .quantityNotPriced(_, .call):
        (missingCall(facts, model, at: instant), PricedQuantity.call.priceKey)
      case .quantityNotPriced(_, let quantity): (.quantity(quantity), quantity.priceKey)
      default: (.model, nil)
      }
    return .modelNotPriced(
      model: facts.model, detail: detail,
      MissingPrice(provider: model.provider, model: facts.model, dimension: dimension))
  }

  /// The first tool of a request whose calls have no price.
  private static func missingCall(
    _ facts: RequestFacts, _ model: PricedModel, at instant: Timestamp
  ) -> PriceDimension {
    facts.callSurcharges.lazy.map(PriceDimension.call)
      .first { !model.hasPrice(of: $0, at: instant) } ?? .quantity(.call)
  }

  /// Whether a request passes though the price book doesn't have its model, which needs a price.
  private static func isWithoutPrice(
    _ facts: RequestFacts, of provider: String, _ model: PricedModel?, _ rules: RulesSnapshot
  ) -> Bool {
    guard let model else { return facts.operation != .moderation }
    // The usual case, without a search: the model is the one that was asked for.
    return model.name != facts.model && rules.prices.model(facts.model, of: provider) == nil
  }

  // MARK: The estimate

  /// The hold of soft budgets: the estimated input, and the model's mean output.
  private static func estimate(
    _ facts: RequestFacts, _ bound: Bound, _ expectation: ModelStatistics.Expectation
  ) -> Consumption {
    let output = min(
      bound.largestOutput, expectation.meanOutput ?? Quote.assumedMeanOutput
    ).multipliedClamped(by: bound.choices)
    let input = min(bound.inputTokens, facts.estimatedInputTokens(by: expectation.rates))
    let share = ExactAmount(
      units: bound.fixedCost.units / Int128(max(1, bound.inputTokens)) * Int128(input))
    return Consumption(
      tokens: input.addingClamped(output), cost: share + bound.outputTokenCost * output)
  }

  /// The mean output of a model that hasn't answered yet.
  private static let assumedMeanOutput: Int64 = 256
}

extension BoundRequest {
  fileprivate var hasInputTokens: Bool {
    textInputTokens > 0 || imageInputTokens > 0 || audioInputTokens > 0
  }

  /// Adds what was learned, and drops what the request doesn't have. The excess of output is no
  /// limit of the output.
  fileprivate mutating func add(_ overhead: inout LearnedOverhead.Excess, isCounted: Bool) {
    if !hasInputTokens || isCounted { overhead.inputTokens = 0 }
    if audioMilliseconds == 0 { overhead.audioMilliseconds = 0 }
    textInputTokens = textInputTokens.addingClamped(overhead.inputTokens)
    audioMilliseconds = audioMilliseconds.addingClamped(overhead.audioMilliseconds)
  }

  /// Drops what the model isn't priced by. A model of tokens is paid in them, and one of minutes,
  /// characters or images in those alone, if the request has any.
  fileprivate mutating func keepOnly(pricedBy model: PricedModel) {
    let units = model.pricedUnits
    // Most have tokens alone, and then nothing has to be looked up.
    guard audioMilliseconds > 0 || characters > 0 || images > 0 else { return }
    if !units.contains(.millisecond) && units.contains(.token) { audioMilliseconds = 0 }
    if !units.contains(.character) && units.contains(.token) { characters = 0 }
    if !units.contains(.image) && units.contains(.token) { images = 0 }
    let isPaidOtherwise =
      audioMilliseconds > 0 && units.contains(.millisecond)
      || characters > 0 && units.contains(.character) || images > 0 && units.contains(.image)
    guard !units.contains(.token), isPaidOtherwise else { return }
    textInputTokens = 0
    imageInputTokens = 0
    audioInputTokens = 0
    outputLimit = 0
  }
}

extension RequestFacts {
  /// The kind of images that are to be made; nil unless both size and quality are named.
  var imageVariant: ImageVariant? {
    guard let imageSize, let imageQuality else { return nil }
    return ImageVariant(size: imageSize, quality: imageQuality)
  }
}
