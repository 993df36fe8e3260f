internal import Ledger
internal import Metering
internal import Money
internal import Pricing
internal import Time

/// By what an answer is charged. It outlives its request where the work goes on after the answer.
struct BillingTerms {
  /// The client, whose own prices apply.
  let clientID: String
  /// The client's, as it was when the request came.
  let markup: Markup
  let provider: String
  /// Nil where the policy lets a model pass that the price book doesn't have.
  let model: PricedModel?
  /// The model that was asked for, where the policy lets it pass though the price book doesn't have
  /// it; nil for one that it has, and for one that costs nothing.
  let modelWithoutPrice: String?
  /// When the request came: by the prices of that time it is charged.
  let instant: Timestamp
  let askedTier: String?
  /// Within which time a response in the background is to be complete; an answer doesn't say it.
  let completionWindow: String?
  let askedImage: ImageVariant?

  /// The charge of an answer, by the prices of the model and tier that answered. If those have no
  /// price, by the requested ones. Nil if the policy charges nothing.
  ///
  /// - Parameters:
  ///   - usage: what is charged, calls included.
  ///   - report: what the answer said; its parts count where `usage` is what it reported.
  private func bill(
    for usage: Usage, _ report: UsageReport?, in rules: RulesSnapshot
  ) throws(PricingError) -> Bill? {
    guard let model else { return nil }
    let calls = report?.extraCalls ?? []
    let answering = priced(report?.responseModel, in: rules) ?? model
    let parts = report?.usage == nil ? [] : report?.breakdown ?? []
    if parts.isEmpty && calls.count <= 1 {
      return Bill(
        usage, by: try tariff(of: answering, for: usage, report, calls), markup: markup)
    }
    var items: [Bill.Item] = []
    for part in parts {
      let model = priced(part.model, in: rules) ?? answering
      items.append(
        Bill.Item(part.usage, by: try tariff(of: model, for: part.usage, report, [])))
    }
    if parts.isEmpty, let tokens = usage.with(calls: 0) {
      items.append(Bill.Item(tokens, by: try tariff(of: answering, for: tokens, report, [])))
    }
    for call in calls {
      guard let made = Usage.zero.with(calls: call.count) else { continue }
      items.append(
        Bill.Item(made, by: try tariff(of: answering, for: usage, report, [call])))
    }
    if let bill = Bill(items, markup: markup) { return bill }
    return Bill(
      usage, by: try tariff(of: answering, for: usage, report, calls), markup: markup)
  }

  private func priced(_ name: String?, in rules: RulesSnapshot) -> PricedModel? {
    name.flatMap { rules.model($0, of: provider, for: clientID) }
  }

  private func tariff(
    of model: PricedModel, for usage: Usage, _ report: UsageReport?, _ calls: [ExtraCall]
  ) throws(PricingError) -> Tariff {
    try model.tariff(
      in: PricingContext(
        instant: instant, tier: report?.serviceTier ?? BillingTerms.billedTier(askedTier),
        completionWindow: report == nil ? nil : completionWindow, image: askedImage,
        calls: calls.compactMap(\.surcharge)),
      inputTokens: usage.inputTokens)
  }

  /// An answer that names no tier is billed by the one asked for, and `auto` chooses the base.
  private static func billedTier(_ asked: String?) -> String? {
    asked == "auto" ? nil : asked
  }
}

// MARK: - Cost

/// The charge of a usage, exact and in the two currencies of its row, and the provider's charge.
struct UsageCharge {
  let exact: ExactAmount
  let nanoUSD: Int64
  let billed: Money
  /// By the price book, without the client's own prices and markup.
  let providerNanoUSD: Int64
  /// Nil where nothing is charged by policy, or the whole hold of a usage without a price.
  let bill: Bill?
}

extension UsageCharge {
  /// Charges the whole hold, which has the markup in it; the provider's cost is taken to be the
  /// hold without it.
  init(of hold: ExactAmount, _ rates: ExchangeRates, _ markup: Markup, bill: Bill?) {
    let nanoUSD = hold.roundedUp(in: .usd, rate: .one)?.nanoUnits ?? .max
    self.init(
      exact: hold, nanoUSD: nanoUSD, billed: hold.billed(at: rates),
      providerNanoUSD: markup.removed(from: nanoUSD), bill: bill)
  }
}

extension ExactAmount {
  /// The same in the billing currency, rounded up once; the largest amount where it is larger.
  func billed(at rates: ExchangeRates) -> Money {
    roundedUp(in: rates.billing, rate: rates.billingRate)
      ?? Money(nanoUnits: .max, currency: rates.billing)
  }
}

/// A price that the price book lacks for a usage.
struct PricingGap {
  enum Fault {
    /// - Parameter calls: those that were made, whose names tell which of them has no price.
    case unpriced(Cost, calls: [ExtraCall])
    case unpriceable(PricingError)
  }

  /// The prices that the answer was charged at instead; nil if the whole model is missing.
  let fault: Fault?
  /// The prices, each once. Empty for a usage that no answer reported.
  var missing: [(MissingPrice, MissingPriceSighting.Outcome)] = []
}

extension BillingTerms {
  /// - Parameters:
  ///   - hold: The charge for usage that only the answer shows and that has no price at all
  ///     (article Missing Prices).
  ///   - tell: is told what has no price, for the operator.
  func charge(
    for usage: Usage, _ report: UsageReport?, hold: ExactAmount, in rules: RulesSnapshot,
    tell: (PricingGap) -> Void
  ) -> UsageCharge {
    let rates = rules.prices.rates
    if modelWithoutPrice != nil || report?.breakdown.isEmpty == false, usage != .zero,
      let report, let gap = gapOfModels(in: report, rules)
    {
      tell(gap)
    }
    do throws(PricingError) {
      guard let bill = try bill(for: usage, report, in: rules) else {
        return UsageCharge(
          exact: .zero, nanoUSD: 0, billed: Money(nanoUnits: 0, currency: rates.billing),
          providerNanoUSD: 0, bill: nil)
      }
      if let gap = gapOfWindow(in: bill, report, rules) { tell(gap) }
      let cost = try bill.cost()
      if !cost.unpriced.isEmpty || cost.isTierAssumed {
        let fault = PricingGap.Fault.unpriced(cost, calls: report?.extraCalls ?? [])
        tell(PricingGap(fault: fault, missing: missing(fault, report, in: rules)))
      }
      return UsageCharge(
        exact: cost.exact, nanoUSD: cost.nanoUSD.nanoUnits, billed: cost.billed,
        providerNanoUSD: cost.provider.nanoUnits, bill: bill)
    } catch {
      let fault = PricingGap.Fault.unpriceable(error)
      tell(PricingGap(fault: fault, missing: missing(fault, report, in: rules)))
      return UsageCharge(of: hold, rates, markup, bill: nil)
    }
  }

  /// The charge of a whole hold, for work whose usage nobody can learn. The prices are those of
  /// `usage`, which stands for what was held.
  func charge(ofHold hold: ExactAmount, for usage: Usage, in rules: RulesSnapshot) -> UsageCharge {
    let bill = try? self.bill(for: usage, nil, in: rules)
    return UsageCharge(of: hold, rules.prices.rates, markup, bill: bill)
  }
}

// MARK: - Missing prices

extension BillingTerms {
  /// The models of an answer that the price book doesn't have; nil where it has them all.
  private func gapOfModels(in report: UsageReport, _ rules: RulesSnapshot) -> PricingGap? {
    var gap = PricingGap(fault: nil)
    if let modelWithoutPrice {
      gap.add(price(.model, of: modelWithoutPrice), model == nil ? .free : .assumed)
    }
    for part in report.breakdown where model != nil && priced(part.model, in: rules) == nil {
      gap.add(price(.model, of: part.model), .assumed)
    }
    return gap.missing.isEmpty ? nil : gap
  }

  /// The window that a request was admitted by, and that its model has no price for any more; nil
  /// where it has, and in a tier, which no window holds in.
  private func gapOfWindow(
    in bill: Bill, _ report: UsageReport?, _ rules: RulesSnapshot
  ) -> PricingGap? {
    guard let report, let completionWindow,
      let answering = priced(report.responseModel, in: rules) ?? model,
      bill.items.contains(where: { $0.tariff.origin.tier == nil }),
      !answering.hasPrice(of: .completionWindow(completionWindow), at: instant)
    else { return nil }
    var gap = PricingGap(fault: nil)
    gap.add(price(.completionWindow(completionWindow), of: answering.name), .assumed)
    return gap
  }

  /// The prices that an answer lacked, each once.
  private func missing(
    _ fault: PricingGap.Fault, _ report: UsageReport?, in rules: RulesSnapshot
  ) -> [(MissingPrice, MissingPriceSighting.Outcome)] {
    guard let report, let answering = priced(report.responseModel, in: rules) ?? model else {
      return []
    }
    var gap = PricingGap(fault: fault)
    let quantities: [PricedQuantity]
    switch fault {
    case .unpriced(let cost, let calls):
      quantities = cost.unpriced
      if cost.isTierAssumed, let tier = report.serviceTier ?? askedTier {
        gap.add(price(.tier(tier), of: answering.name), .assumed)
      }
      for call in calls where cost.unpriced.contains(.call) {
        let dimension = PriceDimension.call(call.surcharge ?? call.name)
        guard !answering.hasPrice(of: dimension, at: instant) else { continue }
        gap.add(price(dimension, of: answering.name), .free)
      }
    case .unpriceable(.unpriceable(let lacking)): quantities = lacking
    case .unpriceable: return [(price(.model, of: answering.name), .assumed)]
    }
    let parts = report.breakdown.compactMap { priced($0.model, in: rules) }
    for quantity in quantities where quantity != .call {
      for model in parts.isEmpty ? [answering] : parts
      where !model.hasPrice(of: .quantity(quantity), at: instant) {
        gap.add(price(.quantity(quantity), of: model.name), .assumed)
      }
    }
    return gap.missing
  }

  private func price(_ dimension: PriceDimension, of model: String) -> MissingPrice {
    MissingPrice(provider: provider, model: model, dimension: dimension)
  }
}

extension PricingGap {
  fileprivate mutating func add(_ price: MissingPrice, _ outcome: MissingPriceSighting.Outcome) {
    if missing.contains(where: { $0.0 == price }) { return }
    missing.append((price, outcome))
  }
}
