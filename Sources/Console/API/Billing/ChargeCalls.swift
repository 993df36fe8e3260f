internal import Billing
internal import Configuration
internal import JSON
internal import Ledger
internal import Money
internal import Time

/// `/api/token-billing/charges`: lists charges, and collects a failed charge again.
enum ChargeCalls {
  private static let path = TokenBillingCalls.path + "charges"

  static var routes: [APIRoute] {
    [
      APIRoute(
        .get, path, .viewer, "Lists charges",
        query: [
          .client, QueryParameter("period", BillingMonth.rule, .month),
          QueryParameter(
            "status", "only charges with this status", .choice(of: BillingCharge.Status.self)),
        ] + QueryParameter.page, answers: .ok(listSchema), handler: list),
      APIRoute(
        .post, path + "/{charge}/retry", .admin, "Collects an unpaid charge again",
        answers: .ok(.billing("RetriedCharge", fields.schema)), handler: retry),
    ]
  }

  /// Amounts are in the smallest unit of the currency.
  static let fields =
    ([
      .field("id", \.name), .field("client_id", \.clientID), .field("user_id", \.clientID),
      .field("period", \.period), .field("block", \.block), .field("billing_tier", \.tier),
      .field("tokens_total", \.tokensTotal), .field("amount_charged", \.amount),
      .field("currency", \.currency), .choice("status", \.status), .field("attempts", \.attempts),
      .field("last_error", \.lastError), .field("payment_id", \.paymentID),
      .field("created_at", \.createdAt), .field("updated_at", \.updatedAt),
    ] as AnswerFields<BillingCharge>).named("Charge")

  /// The form of a charge in the answer of `process-usage`.
  static let tierFields =
    ([
      .field("id", \.name), .field("billing_tier", \.tier), .field("amount_charged", \.amount),
      .choice("status", \.status),
    ] as AnswerFields<BillingCharge>).named("TierCharge")

  private static let listSchema = JSONSchema.named(
    "Charges",
    .object([
      "success": .boolean, "data": .list(of: fields.schema), "has_more": .boolean,
      "next": .anyText.orNull,
    ]))

  private static func list(_ call: Call) throws(APIError) -> Answer {
    var conditions: [ChargeColumn: String] = [:]
    conditions[.client] = try call.query.text("client")
    conditions[.period] = try call.query.month("period")?.description
    conditions[.status] = try call.query.choice("status", BillingCharge.Status.self)?.rawValue
    let after = try call.query.integer("after", in: 0...Int64.max) ?? 0
    let limit = try call.query.limit()
    let charges = try call.read { reader throws(LedgerError) in
      try reader.charges(where: conditions, after: after, limit: limit + 1)
    }
    let page = Page(charges, limit: limit) { "\($0.id)" }
    return Answer { body in
      body.object { body in
        body.member("success", true)
        page.writeMembers(to: &body, fields.write)
      }
    }
  }

  /// Collects a charge again. A charge that is paid, or that Catraca doesn't collect, stays as it
  /// is.
  private static func retry(_ call: Call) async throws(APIError) -> Answer {
    _ = try call.body()
    let name = call.parameter("charge")
    guard let id = BillingCharge.id(named: name) else { throw .notFound("charge \(name)") }
    _ = try call.edit { editor throws(LedgerError) in try editor.retryCharge(id).id }
    call.server.chargesAreDue()
    let charge = try call.read { reader throws(LedgerError) in try reader.charge(id) }
    guard let charge else { throw .notFound("charge \(name)") }
    return .billing(fields, charge)
  }
}

extension Query {
  /// Reads the name of a billing period, such as `2026-11`; nil if the query doesn't have it.
  func month(_ name: String) throws(APIError) -> BillingMonth? {
    guard let text = try text(name) else { return nil }
    guard let month = BillingMonth(text) else {
      throw .invalidValue(name, allowed: BillingMonth.rule)
    }
    return month
  }
}

extension JSONSchema {
  /// `2026-11`.
  static let month = JSONSchema.text(pattern: "^[0-9]{4}-(0[1-9]|1[0-2])$")
}
