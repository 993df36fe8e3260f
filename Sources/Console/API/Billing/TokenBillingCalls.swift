internal import Billing
internal import Budgets
internal import Configuration
internal import JSON
internal import Ledger
internal import Money
internal import Time

/// The calls under `/api/token-billing/`, whose members are in camelCase (article Billing).
enum TokenBillingCalls {
  /// The beginning of their paths. Errors under it have the member `success` too.
  static let path = "/api/token-billing/"

  static var routes: [APIRoute] {
    var processUsage = APIRoute(
      .post, path + "process-usage", .adminOrKey, "Records usage that did not pass the proxy",
      body: ExternalUsageReport.fields, answers: .ok(schema), handler: process)
    processUsage.idempotencyOwner = { call throws(APIError) in
      IdempotencyClaim.usageOwner(of: try ExternalUsageReport.client(in: try call.body(), call).id)
    }
    return [
      processUsage,
      APIRoute(
        .get, path + "user-summary/{client}", .key, "Sums up what a client used and was charged",
        query: [
          QueryParameter("period", "\(BillingMonth.rule), by default the current one", .month)
        ], answers: .ok(summarySchema), handler: summary),
    ]
  }

  private static let schema = JSONSchema.billing(
    "ProcessedUsage",
    .object([
      "consumptionId": .anyText, "totalTokens": .count,
      "tierCharges": .list(of: ChargeJSON.tierSchema),
    ]))

  private static func process(_ call: Call) async throws(APIError) -> Answer {
    let usage = try ExternalUsageReport(try call.body(), call)
    let id = try await call.record(usage.requestID(of: call)) { id throws(APIError) in
      try usage.external(id, call)
    }
    let period = try PlanPeriod(of: usage.client, call)
    let charges = try call.read { reader throws(LedgerError) in
      try reader.charges(where: [.request: "\(id)"])
    }
    return .billing { data in
      data.object { data in
        data.member("consumptionId", "\(id)")
        data.member("totalTokens", period.tokens)
        data.member("tierCharges") { list in
          list.array { list in for charge in charges { ChargeJSON.writeTier(charge, to: &list) } }
        }
      }
    }
  }

  // MARK: Summaries

  private static let summarySchema = JSONSchema.billing(
    "BillingSummary",
    .object([
      "total_tokens": .count, "current_tier": .anyText.orNull, "fixed_fee_charged": .count,
      "tier_charges_count": .count, "tier_charges_total": .count, "total_charged": .count,
      "currency": .currency, "period": .anyText,
    ]))

  private static func summary(_ call: Call) throws(APIError) -> Answer {
    let id = call.parameter("client")
    try call.permit(id)
    let client = try call.client(id)
    let zone = client.timeZone
    let current = zone.civilDate(of: client.planWindow(at: call.now).start)
    let month = try call.query.month("period") ?? BillingMonth(containing: current)
    let currency = call.settings.rates.billing
    let summary = try call.read { reader throws(LedgerError) in
      try BillingSummary(ofClient: id, in: month, currency: currency, reader)
    }
    return .billing { write(summary, to: &$0) }
  }

  private static func write(_ summary: BillingSummary, to writer: inout JSONWriter) {
    writer.object { data in
      data.member("total_tokens", summary.totalTokens)
      data.member("current_tier", summary.currentTier)
      data.member("fixed_fee_charged", summary.fixedFeeCharged)
      data.member("tier_charges_count", summary.tierChargesCount)
      data.member("tier_charges_total", summary.tierChargesTotal)
      data.member("total_charged", summary.totalCharged)
      data.member("currency", summary.currency.code)
      data.member("period", summary.period)
    }
  }
}
