import Money

/// A model's tariffs over one period, for every tier and every length of input.
struct ModelTariffs: Sendable {
  private(set) var callPrices: CallPrices
  private var base: SteppedTariffs
  /// The tiers in which the provider may serve `auto`.
  private var automatic: [SteppedTariffs]
  private var tiers: [ServiceTier: SteppedTariffs]
  private var windows: [String: SteppedTariffs]
  /// The tariffs for an unknown tier: for each quantity, the highest price of all tiers.
  private var assumed: SteppedTariffs

  init(
    _ dated: DatedPrices, origin: PriceOrigin, minimumSeconds: Int64, callPrices: CallPrices,
    automaticTier: ServiceTier, rates: ExchangeRates
  ) throws(PricingError) {
    self.callPrices = callPrices

    func tariffs(_ prices: EffectivePrices, _ origin: PriceOrigin) -> SteppedTariffs {
      SteppedTariffs(prices) { table, above in
        var origin = origin
        origin.aboveInputTokens = above
        return Tariff(
          TariffTerms(
            origin: origin, prices: table.completed(with: callPrices.highest),
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
    var windows: [String: SteppedTariffs] = [:]
    for (name, stated) in dated.completionWindows {
      try checkName(name)
      var windowOrigin = origin
      windowOrigin.completionWindow = name
      windows[name] = tariffs(EffectivePrices(tier: stated, over: dated.base), windowOrigin)
    }
    self.windows = windows
    base = tariffs(basePrices, origin)
    automatic = [base] + (tiers[automaticTier].map { [$0] } ?? [])
    self.tiers = tiers
    assumed = tariffs(EffectivePrices(dearestOf: allPrices), assumedOrigin)
  }

  func overridden(by override: PriceOverride) -> ModelTariffs {
    var tariffs = self
    tariffs.callPrices = callPrices.overridden(by: override)
    tariffs.base = base.overridden(by: override)
    tariffs.automatic = automatic.map { $0.overridden(by: override) }
    tariffs.tiers = tiers.mapValues { $0.overridden(by: override) }
    tariffs.windows = windows.mapValues { $0.overridden(by: override) }
    tariffs.assumed = assumed.overridden(by: override)
    return tariffs
  }

  /// Returns the tariff of the tier that an answer names. A completion window applies only in the
  /// base tier; a window without a price is charged as the base.
  func tariff(
    _ tier: ServiceTier, completionWindow: String?, inputTokens: Int64
  ) -> Tariff {
    let stepped =
      tier == .base
      ? completionWindow.flatMap { windows[$0] } ?? base : tiers[tier] ?? assumed
    return stepped.tariff(inputTokens: inputTokens)
  }

  /// Returns the tariffs by which a request may be served. They are the tiers that can follow from
  /// the requested one. With a completion window, they include the window's prices, because the
  /// provider may grant or refuse the window.
  func reachable(
    in context: PricingContext, model: String
  ) throws(PricingError) -> [SteppedTariffs] {
    let tiers = try reachable(from: context.tier, model: model)
    guard let window = context.completionWindow else { return tiers }
    guard let tariffs = windows[window] else {
      throw .completionWindowNotPriced(model: model, window: window)
    }
    return tiers + [tariffs]
  }

  /// Returns the tiers in which a request may be served.
  ///
  /// Without a tier, OpenAI assumes `auto`. For `auto`, it uses the project's setting, which may be
  /// `priority` unless the operator configures otherwise. A tier without free capacity may be
  /// served as base. A batch is always served as a batch.
  private func reachable(
    from requested: String?, model: String
  ) throws(PricingError) -> [SteppedTariffs] {
    switch requested {
    case nil, "auto": return automatic
    case let name?:
      let tier = ServiceTier(name)
      if tier == .base { return [base] }
      guard let tariffs = tiers[tier] else { throw .tierNotPriced(model: model, tier: name) }
      return tier == .batch ? [tariffs] : [base, tariffs]
    }
  }
}

/// A tier's tariffs by the length of the input.
struct SteppedTariffs: Sendable {
  private var shortest: Tariff
  /// The steps, ascending by the number of input tokens to exceed.
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

  /// Calls `body` for each tariff of an input with at most `inputTokens` tokens, the shortest
  /// first.
  func forEach(
    upTo inputTokens: Int64, _ body: (Tariff) throws(PricingError) -> Void
  ) throws(PricingError) {
    try body(shortest)
    for step in steps where inputTokens > step.above { try body(step.tariff) }
  }
}
