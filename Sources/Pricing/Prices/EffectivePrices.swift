import Money

/// A tier's prices with everything filled in that its declaration leaves to the base.
struct EffectivePrices {
  let table: PriceTable
  /// Ascending by the number of input tokens to exceed; each complete.
  let steps: [(above: Int64, table: PriceTable)]

  /// The base tier.
  init(_ stated: SteppedPrices) {
    table = stated.table
    steps = EffectivePrices.ascending(stated.aboveInputTokens).map { above, step in
      (above: above, table: stated.table.overlaid(by: step))
    }
  }

  /// Another tier. Where it states no steps of its own, the base's hold for it too, as the least
  /// that is charged: a discount or a surcharge isn't known beyond the step.
  init(tier: SteppedPrices, over base: SteppedPrices) {
    let table = base.table.overlaid(by: tier.table)
    self.table = table
    guard tier.aboveInputTokens.isEmpty else {
      steps = EffectivePrices.ascending(tier.aboveInputTokens).map { above, step in
        (above: above, table: table.overlaid(by: step))
      }
      return
    }
    steps = EffectivePrices(base).steps.map { above, step in
      (above: above, table: table.dearest(or: step))
    }
  }

  /// Of each quantity the highest price of all, at every length at which any has a step.
  init(dearestOf all: [EffectivePrices]) {
    table = EffectivePrices.dearest(of: all, inputTokens: 0)
    steps = Set(all.flatMap { $0.steps.map(\.above) }).sorted().map { above in
      (above: above, table: EffectivePrices.dearest(of: all, inputTokens: above.addingClamped(1)))
    }
  }

  private static func ascending(
    _ steps: [Int64: PriceTable]
  ) -> [(above: Int64, table: PriceTable)] {
    steps.sorted { $0.key < $1.key }.map { (above: $0.key, table: $0.value) }
  }

  private static func dearest(of all: [EffectivePrices], inputTokens: Int64) -> PriceTable {
    all.reduce(PriceTable()) { $0.dearest(or: $1.table(inputTokens: inputTokens)) }
  }

  private func table(inputTokens: Int64) -> PriceTable {
    steps.last { inputTokens > $0.above }?.table ?? table
  }
}

extension PriceTable {
  /// With a client's own prices where they state one. One price of an image is that of every kind;
  /// prices of some kinds leave the others as they are.
  func overridden(by own: PriceTable) -> PriceTable {
    var table = overlaid(by: own)
    if !own.images.isEmpty {
      let ofOthers = images.isEmpty ? self[.image] : nil
      table[.image] = table.images.values.reduce(ofOthers ?? .zero, max)
    } else if own[.image] != nil {
      table.images = [:]
    }
    return table
  }

  /// With a price for calls and images whose kind isn't known: the highest.
  func completed(with surcharge: FixedDecimal?) -> PriceTable {
    var table = self
    table[.call] = self[.call] ?? surcharge
    table[.image] = self[.image] ?? images.values.max()
    return table
  }
}

extension DatedPrices {
  /// With a client's own prices in every tier and at every length.
  func overridden(by own: AgreedPrices) -> DatedPrices {
    var prices = mapTables { $0.overridden(by: own.table) }
    for (name, stated) in completionWindows {
      let own = own.prices(inWindow: name)
      prices.completionWindows[name] = SteppedPrices(
        stated.table.overridden(by: own),
        aboveInputTokens: stated.aboveInputTokens.mapValues { $0.overridden(by: own) })
    }
    return prices
  }

  /// With a markup on every price.
  func with(_ markup: Markup) -> DatedPrices {
    markup == .none ? self : mapTables { $0.with(markup) }
  }

  /// At an endpoint with a factor: every price of tokens is multiplied by it.
  func with(_ factor: PriceFactor) -> DatedPrices {
    factor == .one ? self : mapTables { $0.with(factor) }
  }

  private func mapTables(_ change: (PriceTable) -> PriceTable) -> DatedPrices {
    func changed(_ prices: SteppedPrices) -> SteppedPrices {
      SteppedPrices(
        change(prices.table), aboveInputTokens: prices.aboveInputTokens.mapValues(change))
    }
    return DatedPrices(
      from: from, base: changed(base), tiers: tiers.mapValues(changed),
      completionWindows: completionWindows.mapValues(changed))
  }
}
