internal import Money
internal import Pricing
internal import Time

extension BillingAgreement {
  /// Writes the fields with the names of `billing_agreements`, in the order of its columns.
  func write(to fields: inout some FieldWriter, since: CivilDate) {
    fields.write("client_id", clientID)
    fields.write("plan", plan)
    fields.write("start_day", Int64(startDay))
    fields.write("since", since.description)
    fields.write("today", today.description)
    fields.write("status", status.rawValue)
    PlanBilling.write(billing, to: &fields)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let clientID = try fields.requiredText("client_id", of: "a billing agreement")
    let record = "the billing agreement of client \(clientID)"
    self.init(
      clientID: clientID, plan: try fields.requiredText("plan", of: record),
      startDay: Int(clamping: fields.integer("start_day") ?? 1),
      today: try fields.requiredDay("today", of: record),
      status: try fields.required(
        "status", of: record,
        fields.text("status").flatMap { BillingCharge.Status(rawValue: $0) }),
      billing: try fields.required(
        "currency", of: record, try PlanBilling(from: fields, of: record)))
  }
}

extension BillingPeriod {
  /// Writes the fields with the names of `billing_periods`, in the order of its columns.
  func write(to fields: inout some FieldWriter) {
    fields.write("client_id", clientID)
    fields.write("period", name)
    fields.write("plan", plan)
    fields.write("first_day", firstDay.description)
    fields.write("end_day", endDay.description)
    PlanBilling.write(billing, to: &fields)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let clientID = try fields.requiredText("client_id", of: "a billing period")
    let record = "a billing period of client \(clientID)"
    self.init(
      clientID: clientID, name: try fields.requiredText("period", of: record),
      plan: try fields.requiredText("plan", of: record),
      firstDay: try fields.requiredDay("first_day", of: record),
      endDay: try fields.requiredDay("end_day", of: record),
      billing: try fields.required(
        "currency", of: record, try PlanBilling(from: fields, of: record)))
  }
}

extension BillingCharge {
  init(from fields: some FieldReader) throws(LedgerError) {
    let id = fields.integer("id") ?? 0
    let record = "charge \(BillingCharge.name(id))"
    func text(_ name: String) throws(LedgerError) -> String {
      try fields.requiredText(name, of: record)
    }
    self.init(
      id: id, clientID: try text("client_id"), period: try text("period"),
      block: fields.integer("block") ?? 0, tier: try text("billing_tier"),
      tokensTotal: fields.integer("tokens_total") ?? 0,
      amount: fields.integer("amount_charged") ?? 0,
      currency: try fields.required("currency", of: record, Currency(try text("currency"))),
      status: try fields.required("status", of: record, Status(rawValue: try text("status"))),
      attempts: Int(clamping: fields.integer("attempts") ?? 0),
      lastError: fields.text("last_error"), paymentID: fields.text("payment_id"),
      requestID: fields.text("request_id").flatMap { RequestID($0) },
      failingSince: fields.text("failing_since").flatMap { Timestamp(rfc3339: $0) },
      nextAttemptAt: fields.text("next_attempt_at").flatMap { Timestamp(rfc3339: $0) },
      createdAt: try fields.requiredInstant("created_at", of: record),
      updatedAt: try fields.requiredInstant("updated_at", of: record))
  }
}

extension FieldReader {
  func requiredDay(_ name: String, of record: String) throws(LedgerError) -> CivilDate {
    try required(name, of: record, text(name).flatMap { CivilDate($0) })
  }
}
