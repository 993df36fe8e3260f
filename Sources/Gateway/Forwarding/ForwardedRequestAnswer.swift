internal import Budgets
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Logging
internal import Metering
internal import Money
internal import Time
internal import Upstream

// The answer to the client, and the operator's log line about it.

extension ForwardedRequest {
  /// The fields that the client gets: the provider's, and Catraca's own (article Apps).
  func responseFields(_ head: UpstreamResponseHead, remaining: Remainder?) -> HeaderFields {
    var fields = Forwarding.response(head.fields, from: quote.provider)
    fields.appendOwn(.catracaRequestID, "\(pipeline.id)")
    if let clamped = grant.clampedOutput { fields.appendOwn(.catracaClamped, "\(clamped)") }
    if let calls = quote.callLimit { fields.appendOwn(.catracaClampedToolCalls, "\(calls)") }
    guard let remaining else { return fields }
    if let tokens = remaining.tokens { fields.appendOwn(.catracaRemainingTokens, "\(tokens)") }
    if let cost = remaining.cost { fields.appendOwn(.catracaRemainingCost, cost.decimalText) }
    if let reset = remaining.resetAt,
      let zone = gateway.controller.definition(of: remaining.budget)?.timeZone
    {
      fields.appendOwn(.catracaReset, zone.rfc3339(reset))
    }
    return fields
  }

  /// Sends the last bytes of an answer that was sent piece by piece.
  func finish(_ last: [UInt8]) async {
    do {
      try await exchange.finish(last)
    } catch {
      // The row is safe, and nobody is left to be told.
      exchange.abort()
    }
  }

  /// The client takes no bytes any more: what is true of one that hung up is true of it.
  func clientStopped() {
    guard !clientLeft, let leave = exchange.onClientGone else { return }
    exchange.onClientGone = nil
    leave()
  }

  // MARK: The log line

  func logPrompt() {
    guard let prompt = PromptText(of: request.body, parser: pipeline.resources.parser) else {
      return
    }
    gateway.logger.log(.info, "prompt") { line in
      pipeline.writeMembers(of: request, quote, to: &line)
      line.member("prompt", prompt.text)
      line.member("is_cut", prompt.isCut)
    }
  }

  /// An answer that wasn't what metering expects, or contradicted itself.
  func logDoubts(about completion: Completion) {
    if completion.report?.isUsageAdjusted == true {
      gateway.logger.log(.warn, "usage_adjusted") {
        pipeline.writeMembers(of: request, quote, to: &$0)
      }
    }
    // Work that nobody can follow is another reason to charge the hold.
    let isUnread = completion.isUnread && (completion.report != nil || !request.outlivesAnswer)
    if isUnread || completion.report?.isUnreadable == true {
      gateway.logger.log(.warn, "answer_unreadable") { line in
        pipeline.writeMembers(of: request, quote, to: &line)
        line.member("charged", isUnread ? "hold" : "what was read")
      }
    }
  }
}

extension FieldName {
  static let catracaRequestID: FieldName = "x-catraca-request-id"
  static let catracaCost: FieldName = "x-catraca-cost-usd"
  static let catracaRemainingTokens: FieldName = "x-catraca-remaining-tokens"
  static let catracaRemainingCost: FieldName = "x-catraca-remaining-cost"
  static let catracaReset: FieldName = "x-catraca-reset"
  static let catracaClamped: FieldName = "x-catraca-clamped"
  static let catracaClampedToolCalls: FieldName = "x-catraca-clamped-tool-calls"
  static let catracaDenied: FieldName = "x-catraca-denied"
  static let catracaProvider: FieldName = "x-catraca-provider"
  static let catracaUser: FieldName = "x-catraca-user"
  static let catracaConversation: FieldName = "x-catraca-conversation"
  static let catracaAgent: FieldName = "x-catraca-agent"
  static let catracaMetadata: FieldName = "x-catraca-metadata"
  static let shouldRetry: FieldName = "x-should-retry"
}
