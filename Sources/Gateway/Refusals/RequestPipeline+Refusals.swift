internal import Budgets
internal import Configuration
internal import EventLoop
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Ledger
internal import Logging
internal import Metering

// Refuses a request: answers the client, writes the log line, and records the denial.

extension RequestPipeline {
  func refuse(_ refusal: Refusal) async {
    trace?.note(refusal)
    switch refusal {
    case .clientLeft:
      exchange.abort()
    case .budget(let refusal):
      await answer(refusal.httpAnswer())
    default:
      gateway.noteMissingPrice(refusal, client: clientID, at: startedAt)
      let answer = RefusalAnswer(refusal)
      gateway.logger.log(answer.status >= 500 ? .error : .info, "request_refused") { line in
        line.member("request_id", "\(id)")
        if let trace { line.member("trace_id", trace.traceText) }
        line.member("status", Int64(answer.status))
        line.member("code", answer.code)
        line.member("path", RequestPipeline.shortened(exchange.head.path))
        line.member("address", exchange.clientAddress?.host)
      }
      await self.answer(answer.httpAnswer(requestID: "\(id)"))
    }
  }

  /// A path for a line of the log, of bounded length.
  static func shortened(_ path: String) -> String { String(path.prefix(PlainText.longest)) }

  // MARK: Refusals by a budget

  /// Tells the operator and the ledger of a refusal by a budget.
  func report(_ refusal: BudgetRefusal, of request: MeteredRequest, _ quote: Quote) {
    let denial = refusal.denial
    let client = request.identity.client.id
    let verdict = gateway.denialLimits.verdict(
      client: client, reason: refusal.rowReason, at: startedAt)
    if case .count(let untold) = verdict {
      guard let untold else { return }
      return gateway.logger.log(.warn, "denials_not_written") { line in
        line.member("client", client)
        line.member("reason", refusal.rowReason.rawValue)
        line.member("count", untold)
      }
    }
    gateway.logger.log(.warn, refusal.code) { line in
      writeMembers(of: request, quote, to: &line)
      refusal.writeLogMembers(to: &line)
    }
    gateway.ledger.record(
      DenialRow(
        requestID: id, clientID: client,
        keyName: request.identity.key.name, userID: request.user,
        operation: request.facts.operation, model: request.facts.model,
        budgetID: "\(denial.budget)", reason: refusal.rowReason, limitValue: denial.limit,
        used: denial.used, held: denial.held, requested: denial.requested,
        resetAt: denial.resetAt, createdAt: startedAt))
  }

  /// Tells the operator what a budget that only watches would have refused.
  func logShadow(_ denial: Denial, of request: MeteredRequest, _ quote: Quote) {
    let refusal = budgetRefusal(denial, client: request.identity.client.id)
    gateway.logger.log(.warn, "budget_shadow") { line in
      writeMembers(of: request, quote, to: &line)
      refusal.writeLogMembers(to: &line)
    }
  }

  func budgetRefusal(_ denial: Denial, client: String) -> BudgetRefusal {
    BudgetRefusal(denial: denial, clientID: client, requestID: id, now: gateway.clock())
  }
}
