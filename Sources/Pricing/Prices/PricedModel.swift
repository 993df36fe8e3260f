public import Money
public import Time

/// A model of the price book, with every tariff that it can have worked out.
public final class PricedModel: Sendable {
  public let provider: String
  public let declaration: ModelDeclaration
  /// Of the pricing file: where the prices were read, and when.
  public let source: String
  public let asOf: CivilDate
  public let file: String

  /// What calls billed outside tokens cost, each, by name: the file's, or the model's own.
  public let surcharges: [String: FixedDecimal]

  /// What a session of a container costs, by its memory.
  public let containers: [String: FixedDecimal]

  /// What the file's prices of tokens are multiplied by in all prices that this model shows.
  public let priceFactor: PriceFactor

  /// What its prices are for: tokens, or the minute, the character or the image alone.
  public let pricedUnits: Set<PricedQuantity.Unit>

  /// A client's own prices, which replace the book's where they state one.
  private let own: PriceOverride?

  /// By date, the latest first.
  private let periods: [Period]

  private struct Period {
    let from: Timestamp?
    let declared: DatedPrices
    let tariffs: ModelTariffs
  }

  public var name: String { declaration.name }

  /// The most output tokens of one answer that sets no limit of its own.
  ///
  /// A model without a stated maximum can fill its context; without either,
  /// `assumedLargestOutput` is taken, which no model published so far exceeds.
  public var largestOutput: Int64 {
    declaration.maxOutputTokens ?? declaration.contextTokens ?? PricedModel.assumedLargestOutput
  }

  /// What `largestOutput` is for a model of which nothing is stated.
  public static let assumedLargestOutput: Int64 = 131_072

  init(
    _ declaration: ModelDeclaration, of file: ProviderPrices, rates: ExchangeRates
  ) throws(PricingError) {
    provider = file.provider
    self.declaration = declaration
    source = file.source
    asOf = file.asOf
    self.file = file.file
    own = nil
    let factor = declaration.takesPriceFactor ? file.priceFactor : .one
    let origin = PriceOrigin(
      file: file.file, asOf: file.asOf, provider: file.provider, model: declaration.name,
      priceFactor: factor)
    priceFactor = factor
    containers = file.containers
    surcharges = file.surcharges.merging(declaration.surcharges) { _, own in own }
    var periods: [Period] = []
    for declared in declaration.prices {
      let dated = declared.with(factor)
      let from = dated.from.map { TimeZoneRules.utc.startOfDay($0) }
      if let previous = periods.last {
        guard let from, from > previous.from ?? Timestamp(milliseconds: .min) else {
          throw .invalidDates(provider: file.provider, model: declaration.name)
        }
      }
      let tariffs = try ModelTariffs(
        dated, origin: origin, minimumSeconds: declaration.minimumSeconds,
        callPrices: CallPrices(surcharges, containers: containers),
        automaticTier: ServiceTier(file.automaticTier), rates: rates)
      periods.append(Period(from: from, declared: dated, tariffs: tariffs))
    }
    guard !periods.isEmpty else {
      throw .invalidDates(provider: file.provider, model: declaration.name)
    }
    self.periods = periods.reversed()
    pricedUnits = Set(declaration.prices.flatMap { $0.base.table.pricedUnits })
  }

  private init(_ other: PricedModel, overriddenBy override: PriceOverride) {
    provider = other.provider
    declaration = other.declaration
    source = other.source
    asOf = other.asOf
    file = other.file
    surcharges = other.surcharges
    containers = other.containers
    priceFactor = other.priceFactor
    own = override
    pricedUnits = other.pricedUnits.union(override.prices.table.pricedUnits)
    periods = other.periods.map {
      Period(
        from: $0.from, declared: $0.declared, tariffs: $0.tariffs.overridden(by: override))
    }
  }

  /// The model at a client's own prices.
  ///
  /// Works every tariff out again: to be done when overrides are read, not for each request.
  public func overridden(by override: PriceOverride) -> PricedModel {
    PricedModel(self, overriddenBy: override)
  }

  /// The book's prices in force at that time, with the provider's factor; nil before the first.
  public func declaredPrices(at instant: Timestamp) -> DatedPrices? {
    periodIndex(at: instant).map { periods[$0].declared }
  }

  /// The prices that a client is charged at that time: the book's, replaced by the client's own
  /// where it has any, with its markup, in every tier and at every length; nil before the first.
  public func chargedPrices(
    at instant: Timestamp, with markup: Markup = .none
  ) -> DatedPrices? {
    let declared = declaredPrices(at: instant)
    guard let own else { return declared?.with(markup) }
    return declared?.overridden(by: own.prices).with(markup)
  }

  /// What a client is charged for calls billed outside tokens, each, by name, with its markup.
  public func chargedSurcharges(with markup: Markup = .none) -> [String: FixedDecimal] {
    surcharges.mapValues { (own?.prices.table[.call] ?? $0).with(markup) }
  }

  /// What a client is charged for a session of a container, by its memory, with its markup.
  public func chargedContainers(with markup: Markup = .none) -> [String: FixedDecimal] {
    var charged = containers
    for (size, price) in containers {
      charged[size] = (own?.prices.price(ofContainer: size) ?? price).with(markup)
    }
    return charged
  }

  /// What an answer is charged by.
  ///
  /// Throws `modelNotPriced` before the first date that has prices.
  public func tariff(
    in context: PricingContext, inputTokens: Int64
  ) throws(PricingError) -> Tariff {
    let tariffs = try tariffs(at: context.instant)
    return tariffs.tariff(
      ServiceTier(context.tier), completionWindow: context.completionWindow,
      inputTokens: inputTokens
    ).refined(by: context, calls: tariffs.callPrices)
  }

  /// The most that a request can use and cost.
  ///
  /// Throws `modelNotPriced`, `tierNotPriced`, `completionWindowNotPriced` and `quantityNotPriced`
  /// where the request shows that it needs what has no price.
  public func bound(
    of request: BoundRequest, in context: PricingContext
  ) throws(PricingError) -> Bound {
    let tariffs = try tariffs(at: context.instant)
    let inputTokens = request.inputTokens
    let largestOutput = request.outputLimit ?? largestOutput
    var fixedCost = ExactAmount.zero
    var outputTokenCost = ExactAmount.zero
    for tier in try tariffs.reachable(in: context, model: name) {
      try tier.forEach(upTo: inputTokens) { tariff throws(PricingError) in
        let tariff = tariff.refined(by: context, calls: tariffs.callPrices)
        fixedCost = max(fixedCost, try tariff.fixedCost(of: request))
        if largestOutput == 0 { return }
        outputTokenCost = max(outputTokenCost, try tariff.outputTokenCost(of: request))
      }
    }
    return Bound(
      inputTokens: inputTokens, fixedCost: fixedCost, outputTokenCost: outputTokenCost,
      largestOutput: largestOutput, choices: request.choices)
  }

  /// Whether a part of the prices is stated at that time, by the book or as the client's own.
  public func hasPrice(of dimension: PriceDimension, at instant: Timestamp) -> Bool {
    guard let prices = chargedPrices(at: instant) else { return false }
    switch dimension {
    case .model: return true
    case .quantity(.minute): return prices.base.table[.minute] ?? prices.base.table[.second] != nil
    case .quantity(.image) where !prices.base.table.images.isEmpty: return true
    case .quantity(let quantity): return prices.base.table[quantity] != nil
    case .tier(let name):
      let tier = ServiceTier(name)
      return tier == .base || prices.tiers.keys.contains { ServiceTier($0) == tier }
    case .completionWindow(let name): return prices.completionWindows[name] != nil
    case .call(let name): return (try? tariffs(at: instant))?.callPrices.price(of: [name]) != nil
    }
  }

  private func tariffs(at instant: Timestamp) throws(PricingError) -> ModelTariffs {
    guard let index = periodIndex(at: instant) else { throw .modelNotPriced(model: name) }
    return periods[index].tariffs
  }

  /// By index, since a period has much to copy.
  private func periodIndex(at instant: Timestamp) -> Int? {
    for index in periods.indices {
      guard let from = periods[index].from, instant < from else { return index }
    }
    return nil
  }
}
