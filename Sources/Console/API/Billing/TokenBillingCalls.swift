internal import Billing
internal import Budgets
internal import Configuration
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
      body: ExternalUsageReport.fields, answers: .ok(.billing(processed)), handler: process)
    processUsage.idempotencyOwner = { call throws(APIError) in
      IdempotencyClaim.usageOwner(of: try ExternalUsageReport.client(in: try call.body(), call).id)
    }
    return [
      processUsage,
      APIRoute(
        .get, path + "user-summary/{client}", .key, "Sums up what a client used and was charged",
        query: [
          QueryParameter("period", "\(BillingMonth.rule), by default the current one", .month)
        ], answers: .ok(.billing(summed)), handler: summary),
    ]
  }

  /// A report of usage that is recorded, and the charges that it caused.
  private struct ProcessedUsage {
    let id: RequestID
    let tokens: Int64
    let charges: [BillingCharge]
  }

  private static let processed =
    ([
      .field("consumptionId") { "\($0.id)" }, .field("totalTokens", \.tokens),
      .list("tierCharges", of: ChargeCalls.tierFields, \.charges),
    ] as AnswerFields<ProcessedUsage>).named("ProcessedUsage")

  private static func process(_ call: Call) async throws(APIError) -> Answer {
    let usage = try ExternalUsageReport(try call.body(), call)
    let id = try await call.record(usage.requestID(of: call)) { id throws(APIError) in
      try usage.external(id, call)
    }
    let period = try PlanPeriod(of: usage.client, call)
    let charges = try call.read { reader throws(LedgerError) in
      try reader.charges(where: [.request: "\(id)"])
    }
    return .billing(processed, ProcessedUsage(id: id, tokens: period.tokens, charges: charges))
  }

  // MARK: Summaries

  private static let summed =
    ([
      .field("total_tokens", \.totalTokens), .field("current_tier", \.currentTier),
      .field("fixed_fee_charged", \.fixedFeeCharged),
      .field("tier_charges_count", \.tierChargesCount),
      .field("tier_charges_total", \.tierChargesTotal), .field("total_charged", \.totalCharged),
      .field("currency", \.currency), .field("period", \.period),
    ] as AnswerFields<BillingSummary>).named("BillingSummary")

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
    return .billing(summed, summary)
  }
}
