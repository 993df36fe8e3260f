internal import Metering
internal import Money
internal import Pricing
internal import Time

/// By what an answer is charged. It outlives its request where the work goes on after the answer.
struct BillingTerms {
  /// Whose own prices hold.
  let clientID: String
  /// The client's, as it was when the request came.
  let markup: Markup
  let provider: String
  /// Nil where the policy lets a model pass that the price book doesn't have.
  let model: PricedModel?
  /// When the request came: by the prices of that time it is charged.
  let instant: Timestamp
  let askedTier: String?
  /// Within which time a response in the background is to be complete; an answer doesn't say it.
  let completionWindow: String?
  let askedImage: ImageVariant?

  /// What an answer is charged: by the model and tier that answered where they are priced, else by
  /// those asked for. Nil where nothing is charged by policy.
  ///
  /// - Parameters:
  ///   - usage: what is charged, calls included.
  ///   - report: what the answer said; its parts count where `usage` is what it reported.
  private func bill(
    for usage: Usage, _ report: UsageReport?, in rules: RuleBook
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

  private func priced(_ name: String?, in rules: RuleBook) -> PricedModel? {
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

/// What a usage is charged, exactly and in the two currencies of its row, and what the provider
/// charges for it.
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

/// What the price book lacks for a usage.
enum PricingGap {
  /// - Parameter calls: those that were made, whose names tell which of them has no price.
  case unpriced(Cost, calls: [ExtraCall])
  case unpriceable(PricingError)
}

extension BillingTerms {
  /// - Parameters:
  ///   - hold: what is charged where nothing else can be (SPEC §8): found only in the answer, and
  ///     without any price.
  ///   - tell: is told what has no price, for the operator.
  func charge(
    for usage: Usage, _ report: UsageReport?, hold: ExactAmount, in rules: RuleBook,
    tell: (PricingGap) -> Void
  ) -> UsageCharge {
    let rates = rules.prices.rates
    do throws(PricingError) {
      guard let bill = try bill(for: usage, report, in: rules) else {
        return UsageCharge(
          exact: .zero, nanoUSD: 0, billed: Money(nanoUnits: 0, currency: rates.billing),
          providerNanoUSD: 0, bill: nil)
      }
      let cost = try bill.cost()
      if !cost.unpriced.isEmpty || cost.isTierAssumed {
        tell(.unpriced(cost, calls: report?.extraCalls ?? []))
      }
      return UsageCharge(
        exact: cost.exact, nanoUSD: cost.nanoUSD.nanoUnits, billed: cost.billed,
        providerNanoUSD: cost.provider.nanoUnits, bill: bill)
    } catch {
      tell(.unpriceable(error))
      return UsageCharge(of: hold, rates, markup, bill: nil)
    }
  }

  /// The charge of a whole hold, for work of which nobody can learn what it used. The prices are
  /// those of `usage`, which stands for what was held.
  func charge(ofHold hold: ExactAmount, for usage: Usage, in rules: RuleBook) -> UsageCharge {
    let bill = try? self.bill(for: usage, nil, in: rules)
    return UsageCharge(of: hold, rules.prices.rates, markup, bill: bill)
  }
}
