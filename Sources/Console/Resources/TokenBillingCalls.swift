internal import Configuration
internal import JSON
internal import Ledger

/// `/api/token-billing/…`: document 001's calls, in its camelCase.
enum TokenBillingCalls {
  /// What their paths begin with. Their errors say `success` too.
  static let path = "/api/token-billing/"

  static var routes: [Route] {
    var processUsage = Route(
      .post, path + "process-usage", .adminOrKey, "Records usage that did not pass the proxy",
      body: ReportedUsage.fields, answers: .ok(schema), handler: process)
    processUsage.idempotencyOwner = { call throws(APIError) in
      "usage:\(try ReportedUsage.client(in: try call.body(), call).id)"
    }
    return [processUsage]
  }

  private static let schema = Schema.named(
    "ProcessedUsage",
    .object([
      "success": .boolean,
      "data": .object([
        "consumptionId": .anyText, "totalTokens": .count,
        "tierCharges": .list(of: .freeObject),
      ]),
    ]))

  private static func process(_ call: Call) async throws(APIError) -> Answer {
    let usage = try ReportedUsage(try call.body(), call)
    let id = usage.requestID(of: call)
    let known = try call.read { reader throws(LedgerError) in try reader.usageRow(id) }
    // A call that died between its row and its answer is answered when it is repeated.
    if known == nil { try await record(usage, as: id, call) }
    let period = try PlanPeriod(of: usage.client, call)
    return Answer { body in
      body.object { body in
        body.member("success", true)
        body.member("data") { data in
          data.object { data in
            data.member("consumptionId", "\(id)")
            data.member("totalTokens", period.tokens)
            // Nothing is charged for usage by this release.
            data.member("tierCharges") { $0.array { _ in } }
          }
        }
      }
    }
  }

  private static func record(
    _ usage: ReportedUsage, as id: RequestID, _ call: Call
  ) async throws(APIError) {
    let external = try usage.external(id, call)
    do throws(LedgerError) {
      try await call.server.record(external)
    } catch {
      throw APIError(error)
    }
  }
}
