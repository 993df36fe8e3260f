internal import HTTP
internal import Ledger
internal import Upstream

/// Why a session ends.
enum RealtimeEnd {
  /// The client closed the session. `answer` is the provider's answer to that, if it came in time.
  case clientClosed(WebSocketClose?)
  /// The client is gone without a word.
  case clientLeft
  case providerClosed(WebSocketClose)
  /// The provider is gone without a word.
  case providerLeft
  /// The next response can't be paid, or may not be made.
  case refused(Refusal)
  case stopping
  /// Neither side has said anything for too long.
  case silent
  case clientViolation(WebSocketError)
  case providerViolation(WebSocketError)
  /// The provider sent a message that can't be metered, and that may end a response.
  case unreadableEvent

  /// How a response ended that was under way.
  var outcome: Outcome {
    switch self {
    case .providerClosed, .providerLeft, .providerViolation, .unreadableEvent: .upstreamBroken
    default: .clientDisconnected
    }
  }

  /// The name in the log.
  var name: String {
    switch self {
    case .clientClosed: "client_closed"
    case .clientLeft: "client_left"
    case .providerClosed: "provider_closed"
    case .providerLeft: "provider_left"
    case .refused(let refusal): refusal.code
    case .stopping: "shutting_down"
    case .silent: "idle"
    case .clientViolation: "client_violation"
    case .providerViolation, .unreadableEvent: "provider_violation"
    }
  }

  /// The last message to the client; nil if the client has left.
  var close: WebSocketClose? {
    switch self {
    case .clientLeft: nil
    case .clientClosed(let close): close ?? WebSocketClose(.normal)
    case .providerClosed(let close): close
    case .providerLeft: WebSocketClose(.internalError, reason: "upstream_broken")
    case .refused(let refusal): WebSocketClose(.policyViolation, reason: refusal.code)
    case .stopping: WebSocketClose(.goingAway, reason: "shutting_down")
    case .silent: WebSocketClose(.goingAway, reason: "idle")
    case .clientViolation(let error): WebSocketClose(error.closeCode)
    case .providerViolation, .unreadableEvent:
      WebSocketClose(.badGateway, reason: "upstream_invalid_response")
    }
  }
}

extension Refusal {
  /// The `code` of its answer.
  var code: String {
    if case .budget(let refusal) = self { return refusal.code }
    return RefusalAnswer(self).code
  }
}
