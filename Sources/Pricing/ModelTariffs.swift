import Money

/// A model's tariffs over one span of time, for every tier and every length of input.
struct ModelTariffs: Sendable {
  let surcharges: [String: FixedDecimal]
  private var base: SteppedTariffs
  private var tiers: [ServiceTier: SteppedTariffs]
  /// For a tier that isn't among them: of each quantity the highest price of all tiers.
  private var assumed: SteppedTariffs

  init(
    _ dated: DatedPrices, origin: PriceOrigin, minimumSeconds: Int64,
    surcharges: [String: FixedDecimal], rates: ExchangeRates
  ) throws(PricingError) {
    self.surcharges = surcharges

    func tariffs(_ prices: EffectivePrices, _ origin: PriceOrigin) -> SteppedTariffs {
      SteppedTariffs(prices) { table, above in
        var origin = origin
        origin.aboveInputTokens = above
        return Tariff(
          TariffTerms(
            origin: origin, prices: table.completed(with: surcharges.values.max()),
            minimumSeconds: minimumSeconds, rates: rates))
      }
    }

    let basePrices = EffectivePrices(dated.base)
    var allPrices = [basePrices]
    var tiers: [ServiceTier: SteppedTariffs] = [:]
    for (name, stated) in dated.tiers.sorted(by: { $0.key < $1.key }) {
      try checkName(name)
      let tier = ServiceTier(name)
      guard tier != .base, tiers[tier] == nil else { throw .invalidName(name) }
      let prices = EffectivePrices(tier: stated, over: dated.base)
      var tierOrigin = origin
      tierOrigin.tier = tier.name
      tiers[tier] = tariffs(prices, tierOrigin)
      allPrices.append(prices)
    }
    var assumedOrigin = origin
    assumedOrigin.isTierAssumed = true
    base = tariffs(basePrices, origin)
    self.tiers = tiers
    assumed = tariffs(EffectivePrices(dearestOf: allPrices), assumedOrigin)
  }

  func overridden(by override: PriceOverride) -> ModelTariffs {
    var tariffs = self
    tariffs.base = base.overridden(by: override)
    tariffs.tiers = tiers.mapValues { $0.overridden(by: override) }
    tariffs.assumed = assumed.overridden(by: override)
    return tariffs
  }

  /// The tariff of the tier that an answer names.
  func tariff(_ tier: ServiceTier, inputTokens: Int64) -> Tariff {
    let stepped = tier == .base ? base : tiers[tier] ?? assumed
    return stepped.tariff(inputTokens: inputTokens)
  }

  /// Every tariff by which a request may come to be charged that asks for a tier and has at most
  /// so many input tokens.
  func reachable(
    from requested: String?, inputTokens: Int64, model: String
  ) throws(PricingError) -> [Tariff] {
    if let name = requested, ServiceTier(name) != .base, tiers[ServiceTier(name)] == nil {
      throw .tierNotPriced(model: model, tier: name)
    }
    return ServiceTier.reachable(from: requested).flatMap { tier in
      let stepped = tier == .base ? base : tiers[tier]
      return stepped?.reachable(inputTokens: inputTokens) ?? []
    }
  }
}

/// A tier's tariffs by the length of the input.
private struct SteppedTariffs: Sendable {
  private var shortest: Tariff
  /// Ascending by the number of input tokens to exceed.
  private var steps: [(above: Int64, tariff: Tariff)]

  init(_ prices: EffectivePrices, tariff: (PriceTable, Int64?) -> Tariff) {
    shortest = tariff(prices.table, nil)
    steps = prices.steps.map { (above: $0.above, tariff: tariff($0.table, $0.above)) }
  }

  func overridden(by override: PriceOverride) -> SteppedTariffs {
    var tariffs = self
    tariffs.shortest = shortest.overridden(by: override)
    tariffs.steps = steps.map { ($0.above, $0.tariff.overridden(by: override)) }
    return tariffs
  }

  func tariff(inputTokens: Int64) -> Tariff {
    steps.last { inputTokens > $0.above }?.tariff ?? shortest
  }

  func reachable(inputTokens: Int64) -> [Tariff] {
    [shortest] + steps.prefix { inputTokens > $0.above }.map(\.tariff)
  }
}
