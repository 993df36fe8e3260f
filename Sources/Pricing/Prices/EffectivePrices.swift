import Money

/// A tier's complete prices: prices that its declaration omits are taken from the base.
struct EffectivePrices {
  let table: PriceTable
  /// The length steps, ascending by the number of input tokens to exceed. Each table is complete.
  let steps: [(above: Int64, table: PriceTable)]

  /// Creates the base tier.
  init(_ stated: SteppedPrices) {
    table = stated.table
    steps = EffectivePrices.ascending(stated.aboveInputTokens).map { above, step in
      (above: above, table: stated.table.overlaid(by: step))
    }
  }

  /// Creates another tier. If it states no steps, the base's step prices are its minimum, because
  /// its discount or surcharge isn't known beyond the step.
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

  /// Creates the highest price of each quantity, at every length at which any tier has a step.
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
  /// Returns the table with a client's own prices for the quantities that they state. A single
  /// image price applies to every kind; prices of single kinds leave the others unchanged.
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

  /// Returns the table with prices for calls and images of unknown kind: the highest.
  func completed(with surcharge: FixedDecimal?) -> PriceTable {
    var table = self
    table[.call] = self[.call] ?? surcharge
    table[.image] = self[.image] ?? images.values.max()
    return table
  }
}

extension DatedPrices {
  /// Returns the prices with a client's own prices in every tier and at every length.
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

  /// Returns the prices with a markup on each.
  func with(_ markup: Markup) -> DatedPrices {
    markup == .none ? self : mapTables { $0.with(markup) }
  }

  /// Returns the prices with an endpoint's factor on every token price.
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
