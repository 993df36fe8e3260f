public import Money
public import Time

/// A model of the price book, with all of its tariffs computed.
public final class PricedModel: Sendable {
  public let provider: String
  public let declaration: ModelDeclaration
  /// The place where the pricing file's prices were read.
  public let source: String
  public let asOf: CivilDate
  public let file: String

  /// The prices of calls that are billed separately from tokens, by name: the file's, or the
  /// model's own.
  public let surcharges: [String: FixedDecimal]

  /// The prices of a container session, by its memory.
  public let containers: [String: FixedDecimal]

  /// The factor on the file's token prices, included in all prices of this model.
  public let priceFactor: PriceFactor

  /// The units that have prices: tokens, or only minutes, characters or images.
  public let pricedUnits: Set<PricedQuantity.Unit>

  /// The client's own prices, which replace the book's; nil for none.
  private let own: PriceOverride?

  /// The prices by date, the latest first.
  private let periods: [Period]

  private struct Period {
    let from: Timestamp?
    let declared: DatedPrices
    let tariffs: ModelTariffs
  }

  public var name: String { declaration.name }

  /// The most output tokens of one answer without its own limit.
  ///
  /// A model without a stated maximum can fill its context. A model without either gets
  /// `assumedLargestOutput`, which no published model exceeds so far.
  public var largestOutput: Int64 {
    declaration.maxOutputTokens ?? declaration.contextTokens ?? PricedModel.assumedLargestOutput
  }

  /// The value of `largestOutput` for a model without stated limits.
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

  /// Returns the model at a client's own prices.
  ///
  /// It recomputes every tariff, so call it when overrides are read, and not for each request.
  public func overridden(by override: PriceOverride) -> PricedModel {
    PricedModel(self, overriddenBy: override)
  }

  /// Returns the book's prices in force at a time, with the provider's factor; nil before the first
  /// date.
  public func declaredPrices(at instant: Timestamp) -> DatedPrices? {
    periodIndex(at: instant).map { periods[$0].declared }
  }

  /// Returns the client's prices at a time, in every tier and at every length: the book's, replaced
  /// by the client's own, plus the markup. Nil before the first date.
  public func chargedPrices(
    at instant: Timestamp, with markup: Markup = .none
  ) -> DatedPrices? {
    let declared = declaredPrices(at: instant)
    guard let own else { return declared?.with(markup) }
    return declared?.overridden(by: own.prices).with(markup)
  }

  /// Returns the client's prices of calls that are billed separately from tokens, by name, with the
  /// markup.
  public func chargedSurcharges(with markup: Markup = .none) -> [String: FixedDecimal] {
    surcharges.mapValues { (own?.prices.table[.call] ?? $0).with(markup) }
  }

  /// Returns the client's prices of a container session, by its memory, with the markup.
  public func chargedContainers(with markup: Markup = .none) -> [String: FixedDecimal] {
    var charged = containers
    for (size, price) in containers {
      charged[size] = (own?.prices.price(ofContainer: size) ?? price).with(markup)
    }
    return charged
  }

  /// Returns the tariff that charges an answer.
  ///
  /// - Throws: `PricingError.modelNotPriced` before the first date with prices.
  public func tariff(
    in context: PricingContext, inputTokens: Int64
  ) throws(PricingError) -> Tariff {
    let tariffs = try tariffs(at: context.instant)
    return tariffs.tariff(
      ServiceTier(context.tier), completionWindow: context.completionWindow,
      inputTokens: inputTokens
    ).refined(by: context, calls: tariffs.callPrices)
  }

  /// Returns the upper bounds of a request's use and cost.
  ///
  /// - Throws: `PricingError.modelNotPriced`, `tierNotPriced`, `completionWindowNotPriced` and
  ///   `quantityNotPriced`, if the request shows that it needs a missing price.
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

  /// Whether the book or the client's own prices state this price at a time.
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

  /// Returns an index instead of the period, whose copy is expensive.
  private func periodIndex(at instant: Timestamp) -> Int? {
    for index in periods.indices {
      guard let from = periods[index].from, instant < from else { return index }
    }
    return nil
  }
}
