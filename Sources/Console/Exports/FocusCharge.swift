internal import JSON
internal import Ledger
internal import Money
internal import Pricing
internal import Time

/// A request as a charge of the FinOps Open Cost and Usage Specification (FOCUS), version 1.0.
///
/// Each request is one charge, so the charges add up to the recorded costs: rounded once, in the
/// billing currency. Values without a column in the specification have columns of our own, whose
/// names begin with `x_` as the specification requires.
struct FocusCharge {
  struct Column: Sendable {
    let name: String
    let value: @Sendable (FocusCharge) -> RowField

    init(_ name: String, _ value: @escaping @Sendable (FocusCharge) -> RowField) {
      self.name = name
      self.value = value
    }
  }

  private let row: UsageRow
  private let clientName: String?

  /// - Parameter clientName: The client's name; nil if the client no longer exists.
  init(_ row: UsageRow, clientName: String?) {
    self.row = row
    self.clientName = clientName
  }

  /// The 43 columns of the specification, then our own.
  ///
  /// - Parameter showsProviderCosts: Whether the last column is the provider's cost.
  static func columns(showsProviderCosts: Bool) -> [Column] {
    showsProviderCosts ? publicColumns + [providerCost] : publicColumns
  }

  private static let publicColumns = accounts + periods + costs + products + own
  private static let providerCost = Column("x_ProviderCost") {
    dollars($0.row.providerCostNanoUSD)
  }

  // MARK: Who pays, when

  private static var accounts: [Column] {
    [
      nothing("AvailabilityZone"),
      Column("BillingAccountId") { .text($0.row.clientID) },
      Column("BillingAccountName") { .text($0.clientName ?? $0.row.clientID) },
      Column("BillingCurrency") { .text($0.row.cost.currency.code) },
      Column("SubAccountId") { .text($0.row.keyName) },
      Column("SubAccountName") { .text($0.row.keyName) },
      Column("InvoiceIssuerName") { .text($0.row.provider) },
      Column("ProviderName") { .text($0.row.provider) },
      Column("PublisherName") { .text($0.row.provider) },
    ]
  }

  private static var periods: [Column] {
    [
      Column("BillingPeriodStart") { .text($0.monthStart(after: 0)) },
      Column("BillingPeriodEnd") { .text($0.monthStart(after: 1)) },
      Column("ChargePeriodStart") { .text($0.hourStart(after: 0)) },
      Column("ChargePeriodEnd") { .text($0.hourStart(after: 1)) },
    ]
  }

  private func monthStart(after months: Int) -> String {
    let day = TimeZoneRules.utc.civilDate(of: row.createdAt)
    let first = day.adding(days: 1 - day.day).adding(months: months)
    return FocusCharge.text(of: TimeZoneRules.utc.startOfDay(first))
  }

  private func hourStart(after hours: Int64) -> String {
    let hour = row.createdAt.milliseconds / FocusCharge.hour + hours
    return FocusCharge.text(of: Timestamp(milliseconds: hour * FocusCharge.hour))
  }

  private static let hour: Int64 = 3_600_000

  private static func text(of instant: Timestamp) -> String {
    TimeZoneRules.utc.rfc3339(instant)
  }

  // MARK: How much

  private static var costs: [Column] {
    let costs = [
      // Nothing is amortized, and a client's own price is its contracted price.
      "BilledCost", "EffectiveCost", "ListCost", "ContractedCost",
      // For one request.
      "ListUnitPrice", "ContractedUnitPrice",
    ]
    return costs.map { Column($0) { .text($0.row.cost.decimalText) } } + [
      constant("PricingCategory", "Standard"), constant("PricingQuantity", "1.0"),
      constant("PricingUnit", "Requests"),
      Column("ConsumedQuantity") { .text($0.consumed.quantity) },
      Column("ConsumedUnit") { .text($0.consumed.unit) },
    ]
  }

  /// The quantity and unit that measure the request: the first one that it has. Quantities have a
  /// decimal point so that CSV readers don't take the column for integers.
  private var consumed: (quantity: String, unit: String) {
    let usage = row.usage
    if usage.totalTokens == 0 {
      if usage.audioMilliseconds > 0 {
        let fraction = String(1000 + usage.audioMilliseconds % 1000).dropFirst()
        return ("\(usage.audioMilliseconds / 1000).\(fraction)", "Seconds")
      }
      if usage.characters > 0 { return ("\(usage.characters).0", "Characters") }
      if usage.images > 0 { return ("\(usage.images).0", "Images") }
      if usage.calls > 0 { return ("\(usage.calls).0", "Calls") }
    }
    return ("\(usage.totalTokens).0", "Tokens")
  }

  // MARK: For what

  private static var products: [Column] {
    [
      constant("ChargeCategory", "Usage"), nothing("ChargeClass"),
      Column("ChargeDescription") { .text("\($0.row.operation.rawValue) by \($0.row.model)") },
      constant("ChargeFrequency", "Usage-Based"),
      nothing("CommitmentDiscountCategory"), nothing("CommitmentDiscountId"),
      nothing("CommitmentDiscountName"), nothing("CommitmentDiscountStatus"),
      nothing("CommitmentDiscountType"), nothing("RegionId"), nothing("RegionName"),
      nothing("ResourceId"), nothing("ResourceName"), nothing("ResourceType"),
      constant("ServiceCategory", "AI and Machine Learning"),
      Column("ServiceName") { .text("\($0.row.provider) \($0.row.operation.rawValue)") },
      Column("SkuId") { .text("\($0.row.provider)/\($0.row.model)") },
      Column("SkuPriceId") { .text($0.row.priceVersion ?? "unpriced") },
      Column("Tags") { .json($0.tags) },
    ]
  }

  private var tags: String {
    let tags = [
      ("user", row.userID), ("conversation", row.conversationID), ("agent", row.agentID),
    ]
    var writer = JSONWriter()
    writer.object { object in
      for case (let key, let value?) in tags { object.member(key, value) }
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private static var own: [Column] {
    [
      Column("x_RequestId") { .text("\($0.row.requestID)") },
      Column("x_CreatedAt") { .text($0.row.createdAt.rfc3339) },
      Column("x_CostUsd") { dollars($0.row.costNanoUSD) },
      Column("x_InputTokens") { .integer($0.row.usage.inputTokens) },
      Column("x_OutputTokens") { .integer($0.row.usage.outputTokens) },
      Column("x_UsageSource") { .text($0.row.usageSource.rawValue) },
    ]
  }

  private static func dollars(_ nanoUnits: Int64) -> RowField {
    .text(Money(nanoUnits: nanoUnits, currency: .usd).decimalText)
  }

  private static func nothing(_ name: String) -> Column {
    Column(name) { _ in .text(nil) }
  }

  private static func constant(_ name: String, _ text: String) -> Column {
    Column(name) { _ in .text(text) }
  }
}
