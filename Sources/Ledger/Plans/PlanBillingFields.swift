public import JSON
internal import Money
public import Pricing

/// Writes and reads a plan's prices with the column names that `plans`, `billing_agreements` and
/// `billing_periods` share, in the order of their columns.
extension PlanBilling {
  /// - Parameter billing: The prices; nil makes all columns NULL.
  static func write(_ billing: PlanBilling?, to fields: inout some FieldWriter) {
    fields.write("currency", billing?.currency.code)
    fields.write("fixed_fee_nano", billing?.fixedFee.nanoUnits)
    fields.write("measure", billing?.measure.rawValue)
    fields.write("included", billing?.included)
    fields.write("overage_every", billing?.overage?.every)
    fields.write("overage_charge_nano", billing?.overage?.charge.nanoUnits)
  }

  /// Returns nil if the columns are NULL.
  init?(from fields: some FieldReader, of record: String) throws(LedgerError) {
    guard let code = fields.text("currency") else { return nil }
    let currency = try fields.required("currency", of: record, Currency(code))
    func money(_ name: String) throws(LedgerError) -> Money {
      Money(
        nanoUnits: try fields.required(name, of: record, fields.integer(name)),
        currency: currency)
    }
    let overage = try fields.integer("overage_every").map { every throws(LedgerError) in
      Overage(every: max(1, every), charge: try money("overage_charge_nano"))
    }
    self.init(
      fixedFee: try money("fixed_fee_nano"),
      measure: try fields.required(
        "measure", of: record, fields.text("measure").flatMap { Measure(rawValue: $0) }),
      included: max(0, fields.integer("included") ?? 0), overage: overage)
  }
}

extension PlanBilling {
  /// Writes the prices as members, for the admin API and the audit log.
  public func writeMembers(to object: inout JSONWriter) {
    object.member("currency", currency.code)
    object.member("fixed_fee", fixedFee.decimalText)
    func write(_ amount: Int64, _ name: String, to object: inout JSONWriter) {
      switch measure {
      case .tokens: object.member("\(name)_tokens", amount)
      case .cost:
        object.member(
          "\(name)_cost", Money(nanoUnits: amount, currency: currency).decimalText)
      }
    }
    write(included, "included", to: &object)
    object.key("overage")
    guard let overage else { return object.null() }
    object.object { object in
      write(overage.every, "every", to: &object)
      object.member("charge", overage.charge.decimalText)
    }
  }
}
