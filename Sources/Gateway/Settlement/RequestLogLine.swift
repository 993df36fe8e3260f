internal import Configuration
internal import JSON
internal import Ledger
internal import Logging
internal import Metering
internal import Money
internal import Pricing

// The operator's log line about a request that was settled, and the members that it shares with
// other lines about requests.

extension Gateway {
  /// Logs a row: the only writer of the event `request`.
  ///
  /// - Parameter traceID: The trace of the request; nil if nothing is traced.
  func logRequest(_ row: UsageRow, traceID: String?) {
    logger.log(.info, "request") { line in
      row.writeMembers(to: &line, traceID: traceID)
      line.member("status", Int64(row.status))
      line.member("outcome", row.outcome.rawValue)
      line.member("usage_source", row.usageSource.rawValue)
      line.member("tokens", row.usage.totalTokens)
      line.member("cost_usd", Money(nanoUnits: row.costNanoUSD, currency: .usd).decimalText)
      line.member("latency_ms", row.latencyMilliseconds ?? 0)
      if row.overrunTokens > 0 { line.member("overrun_tokens", row.overrunTokens) }
      if row.overrunNanoUSD > 0 { line.member("overrun_nano_usd", row.overrunNanoUSD) }
    }
  }
}

extension UsageRow {
  /// Writes the members that every line about a metered request has.
  func writeMembers(to line: inout JSONWriter, traceID: String? = nil) {
    LoggedRequest(
      id: requestID, traceID: traceID, client: clientID, key: keyName, user: userID,
      operation: operation, provider: provider, model: model
    ).write(to: &line)
  }
}

extension RequestPipeline {
  /// Writes the members that every line about a metered request has.
  func writeMembers(of request: MeteredRequest, _ quote: Quote, to line: inout JSONWriter) {
    LoggedRequest(
      id: id, traceID: trace?.traceText, client: request.identity.client.id,
      key: request.identity.key.name, user: request.user, operation: request.facts.operation,
      provider: quote.provider.name, model: request.facts.model
    ).write(to: &line)
  }
}

/// The members that every line about a metered request has, in their order.
private struct LoggedRequest {
  let id: RequestID
  let traceID: String?
  let client: String
  let key: String
  let user: String?
  let operation: Operation
  let provider: String
  let model: String

  func write(to line: inout JSONWriter) {
    line.member("request_id", "\(id)")
    if let traceID { line.member("trace_id", traceID) }
    line.member("client", client)
    line.member("key", key)
    line.member("user", user)
    line.member("operation", operation.rawValue)
    line.member("provider", provider)
    line.member("model", model)
  }
}
