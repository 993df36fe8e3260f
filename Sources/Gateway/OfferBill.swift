internal import Configuration
internal import Metering
internal import Pricing

extension Offer {
  /// What an answer is charged: by the model and tier that answered where they are priced, else by
  /// those asked for. Nil where nothing is charged by policy.
  ///
  /// - Parameters:
  ///   - usage: what is charged, calls included.
  ///   - report: what the answer said; its parts count where `usage` is what it reported.
  func bill(
    for usage: Usage, _ report: UsageReport?, in rules: RuleBook
  ) throws(PricingError) -> Bill? {
    guard let model else { return nil }
    let calls = report?.extraCalls ?? []
    let answering = priced(report?.responseModel, in: rules) ?? model
    let parts = report?.usage == nil ? [] : report?.breakdown ?? []
    if parts.isEmpty && calls.count <= 1 {
      return Bill(usage, by: try tariff(of: answering, for: usage, report, calls))
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
    if let bill = Bill(items) { return bill }
    return Bill(usage, by: try tariff(of: answering, for: usage, report, calls))
  }

  private func priced(_ name: String?, in rules: RuleBook) -> PricedModel? {
    name.flatMap { rules.model($0, of: provider.name, for: clientID) }
  }

  private func tariff(
    of model: PricedModel, for usage: Usage, _ report: UsageReport?, _ calls: [ExtraCall]
  ) throws(PricingError) -> Tariff {
    try model.tariff(
      in: PricingContext(
        instant: instant, tier: report?.serviceTier ?? Offer.billedTier(askedTier),
        image: askedImage, calls: calls.compactMap(\.surcharge)),
      inputTokens: usage.inputTokens)
  }

  /// An answer that names no tier is billed by the one asked for, and `auto` chooses the base.
  private static func billedTier(_ asked: String?) -> String? {
    asked == "auto" ? nil : asked
  }
}
