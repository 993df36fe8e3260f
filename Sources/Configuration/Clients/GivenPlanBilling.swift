public import Budgets
public import Money
public import Pricing

/// A plan's billing as a file or a call states it, before validation. Use must be counted either in
/// tokens or in money, and charges must be whole units of the currency.
public struct GivenPlanBilling {
  public struct Overage {
    public var everyTokens: Int64?
    /// In nano-units.
    public var everyCost: Int64?
    /// In nano-units.
    public var charge: Int64

    public init(everyTokens: Int64?, everyCost: Int64?, charge: Int64) {
      self.everyTokens = everyTokens
      self.everyCost = everyCost
      self.charge = charge
    }
  }

  /// The allowed counts of tokens of a step of the overage.
  public static let steps = 1...Plan.counts.upperBound

  public var currency: Currency
  /// In nano-units.
  public var fixedFee: Int64?
  public var includedTokens: Int64?
  /// In nano-units.
  public var includedCost: Int64?
  public var overage: Overage?

  public init(currency: Currency) {
    self.currency = currency
  }

  /// Validates the fields.
  ///
  /// - Parameter rates: The exchange rates with the billing currency. Costs are recorded in it and
  ///   in dollars.
  /// - Throws: `FieldMistake` for the first wrong field.
  public func billing(_ rates: ExchangeRates) throws(FieldMistake) -> PlanBilling {
    try checkMeasure(rates)
    let charge = overage?.charge ?? 0
    let every = countsCost ? overage?.everyCost : overage?.everyTokens
    if every == 0 { throw FieldMistake("every_cost", allowed: "an amount above zero") }
    return PlanBilling(
      fixedFee: try whole(fixedFee ?? 0, "fixed_fee"), measure: countsCost ? .cost : .tokens,
      included: (countsCost ? includedCost : includedTokens) ?? 0,
      overage: try every.map { every throws(FieldMistake) in
        PlanBilling.Overage(every: every, charge: try whole(charge, "charge"))
      })
  }

  private var countsCost: Bool { includedCost != nil || overage?.everyCost != nil }

  private func checkMeasure(_ rates: ExchangeRates) throws(FieldMistake) {
    if let overage, overage.everyTokens == nil, overage.everyCost == nil {
      throw FieldMistake("overage", allowed: "every_tokens or every_cost, with charge")
    }
    guard countsCost else { return }
    if includedTokens != nil || overage?.everyTokens != nil {
      throw FieldMistake(
        includedTokens != nil ? "included_tokens" : "every_tokens",
        allowed: "use in tokens alone (included_tokens, every_tokens), "
          + "or in money alone (included_cost, every_cost)")
    }
    guard currency == rates.billing || currency == .usd else {
      let counted = rates.billing == .usd ? "USD" : "\(rates.billing.code) or USD"
      throw FieldMistake("currency", allowed: "\(counted), in which costs are recorded")
    }
  }

  private func whole(_ nanoUnits: Int64, _ field: String) throws(FieldMistake) -> Money {
    let money = Money(nanoUnits: nanoUnits, currency: currency)
    guard money.minorUnits != nil else {
      throw FieldMistake(
        field,
        allowed: "an amount in \(currency.code) with at most \(currency.minorDigits) decimals")
    }
    return money
  }
}

extension GivenPlanBilling {
  static func decode(from section: inout Section, rates: ExchangeRates) -> PlanBilling? {
    var given = GivenPlanBilling(
      currency: section.optional("currency", .currency) ?? rates.billing)
    given.fixedFee = section.optional("fixed_fee", .amount)
    given.includedTokens = section.optional("included_tokens", .integer(Plan.counts))
    given.includedCost = section.optional("included_cost", .amount)
    given.overage = section.optional("overage", .section { decodeOverage(from: &$0) })
    do throws(FieldMistake) {
      return try given.billing(rates)
    } catch {
      let place = section.has(error.field) ? error.field : "overage"
      section.mistake(at: place, error.message)
      return nil
    }
  }

  private static func decodeOverage(from section: inout Section) -> Overage? {
    let count = ValueFormat<Int64>.integer(GivenPlanBilling.steps)
    let cost = section.optional("every_cost", .amount)
    let tokens =
      section.has("every_cost")
      ? section.optional("every_tokens", count) : section.required("every_tokens", count)
    guard let charge = section.required("charge", .amount), tokens != nil || cost != nil else {
      return nil
    }
    return Overage(everyTokens: tokens, everyCost: cost, charge: charge)
  }
}
