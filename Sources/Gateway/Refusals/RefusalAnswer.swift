internal import HTTP
internal import HTTPServer
internal import JSON
internal import Metering

/// The one table that turns refusals into HTTP: status, type, code, message, param.
///
/// Always OpenAI's shape, so that SDKs raise their usual exceptions. Refusals by a budget say
/// more: BudgetRefusal.swift.
struct RefusalAnswer {
  let status: Int
  let type: String
  let code: String
  /// Whether the body says the code too. Where a provider's own answer has none, only the log does.
  var saysCode = true
  private(set) var message: String
  var param: String?
  var fields: [(FieldName, String)] = []

  init(
    _ status: Int, _ type: String, _ code: String, _ message: String, param: String? = nil
  ) {
    self.status = status
    self.type = type
    self.code = code
    self.message = message
    self.param = param
  }

  init(_ refusal: Refusal) {
    switch refusal {
    case .invalidKey(let fault): self = .invalidKey(fault)
    case .modelNotAllowed, .operationNotAllowed, .clientSuspended: self = .notAllowed(refusal)
    case .tooManyWrongKeys(let seconds): self = .tooManyWrongKeys(retryAfterSeconds: seconds)
    case .rateLimited(let seconds): self = .rateLimited(retryAfterSeconds: seconds)
    case .tooMuchDeferredWork(let limit): self = .tooMuchDeferredWork(limit: limit)
    case .unknownPath, .unknownProvider, .unknownModel: self = .notFound(refusal)
    case .methodNotAllowed(let allowed): self = .methodNotAllowed(allowed)
    case .ambiguousPath: self = .ambiguousPath
    case .endpointNotMetered(let method, let path):
      self.init(
        403, "permission_error", "endpoint_not_metered",
        "\(method) \(path) can't be metered, so it is not forwarded.")
    case .upgradeRequired(let error): self = .upgradeRequired(error)
    case .webSocketNotServed: self = .webSocketNotServed
    case .unreadable(let error):
      self.init(400, "invalid_request_error", error.code, error.message, param: error.param)
    case .batchLine(let number, let refusal):
      self = RefusalAnswer(refusal)
      message = "Line \(number) of the input file: \(message)"
    case .unknownObject(let reference): self = .unknownObject(reference)
    case .listQuery(let fault): self = .listQuery(fault)
    case .invalidMetadata: self = .invalidMetadata
    case .malformed(let error):
      self.init(
        error.status, "invalid_request_error", "invalid_request",
        "This is not a request that HTTP/1.1 allows: \(error).")
    case .bodyTooLarge(let limit):
      self.init(
        413, "invalid_request_error", "request_too_large",
        "The request body is larger than \(limit) bytes.")
    case .bodyTooDense: self = .bodyTooDense
    case .unknownCoding: self = .unknownCoding
    case .headerTooLarge(let limit):
      self.init(
        431, "invalid_request_error", "request_too_large",
        "The request line and header are larger than \(limit) bytes.")
    case .requestTimeout: self = .requestTimeout
    case .tooManyBodies, .tooManyBodiesOfKey, .tooManyRequestsOfKey: self = .withoutRoom(refusal)
    case .modelNotPriced(let model, let detail, _):
      self.init(
        400, "invalid_request_error", "model_not_priced",
        "The model '\(model)' has no price here\(detail.map { " (\($0))" } ?? ""), "
          + "so it is not forwarded.",
        param: "model")
    case .budget(let refusal): self = refusal.answer
    case .clientLeft: self = .requestTimeout
    case .ledgerUnavailable, .overloaded, .tooManyConnectionsOfAddress, .shuttingDown:
      self = .unavailable(refusal)
    case .upstreamUnreachable, .upstreamInvalid, .upstreamTimeout: self = .upstream(refusal)
    case .unusableAnswer(let provider, let fault):
      self = .unusableAnswer(provider: provider, fault)
    }
  }

  private static func methodNotAllowed(_ allowed: String) -> RefusalAnswer {
    RefusalAnswer(
      405, "invalid_request_error", "method_not_allowed",
      "This path is served by other methods: \(allowed)."
    )
    .with("allow", allowed)
  }

  private static func invalidKey(_ fault: Refusal.KeyFault) -> RefusalAnswer {
    let message =
      switch fault {
      case .missing: "No API key was given. Send it as 'Authorization: Bearer sk-ctr-…'."
      case .unknown: "The API key is not known here, or it was revoked."
      case .expired: "The API key has expired."
      }
    return RefusalAnswer(401, "invalid_request_error", "invalid_api_key", message)
  }

  /// The same key will be as wrong when it is sent again, so SDKs are told not to.
  private static func tooManyWrongKeys(retryAfterSeconds seconds: Int64) -> RefusalAnswer {
    RefusalAnswer(
      429, "rate_limit_error", "rate_limit_exceeded",
      "Too many requests with unknown keys came from this address. Try again in \(seconds) s."
    )
    .with(.retryAfter, "\(seconds)").with(.shouldRetry, "false")
  }

  private static func notAllowed(_ refusal: Refusal) -> RefusalAnswer {
    switch refusal {
    case .modelNotAllowed(let model):
      return RefusalAnswer(
        403, "permission_error", "model_not_allowed",
        "This key may not use the model '\(model)'. Ask the administrator of your gateway.",
        param: "model")
    case .operationNotAllowed(let operation):
      return RefusalAnswer(
        403, "permission_error", "operation_not_allowed",
        "This key may not be used for the operation '\(operation)'.")
    case .clientSuspended(let client):
      var answer = RefusalAnswer(
        429, "insufficient_quota", "budget_paused",
        "The client '\(client)' is suspended. Ask the administrator of your gateway.")
      answer.fields = [(.shouldRetry, "false"), (.catracaDenied, "paused")]
      return answer
    default: preconditionFailure("not a refusal of what a key may do")
    }
  }

  private static func notFound(_ refusal: Refusal) -> RefusalAnswer {
    switch refusal {
    case .unknownPath(let path):
      RefusalAnswer(
        404, "invalid_request_error", "unknown_path",
        "Nothing is served at \(path). Use /v1/…, /openai/v1/… or /groq/openai/v1/….")
    case .unknownProvider(let name):
      RefusalAnswer(
        404, "invalid_request_error", "unknown_provider", "There is no provider '\(name)' here.")
    case .unknownModel(let name):
      // As OpenAI answers `GET /v1/models/NAME`.
      RefusalAnswer(
        404, "invalid_request_error", "model_not_found", "The model '\(name)' does not exist",
        param: "model")
    default: preconditionFailure("not a refusal of what isn't there")
    }
  }

  private static func upgradeRequired(_ error: WebSocketUpgradeError) -> RefusalAnswer {
    switch error {
    case .notAsked, .unsupportedVersion:
      RefusalAnswer(
        426, "invalid_request_error", "upgrade_required",
        "This is served over a WebSocket, version \(WebSocketUpgrade.version)."
      )
      .with(.upgrade, "websocket").with(.secWebSocketVersion, WebSocketUpgrade.version)
    case .invalidRequest, .invalidKey:
      RefusalAnswer(
        400, "invalid_request_error", "invalid_request",
        "This is not a request that opens a WebSocket: \(error).")
    }
  }

  /// At 426 clients go on with POST at once. At 403 some of them try five times.
  private static let webSocketNotServed = RefusalAnswer(
    426, "invalid_request_error", "websocket_not_supported",
    "Responses are not served over a WebSocket here. Use POST /v1/responses."
  )
  .with(.upgrade, "HTTP/1.1")

  private static let ambiguousPath = RefusalAnswer(
    400, "invalid_request_error", "invalid_path",
    "The path is not plain. Write it with letters, digits and '-._~:@' between single slashes, "
      + "without escapes, dot segments, parameters or a slash at the end.")

  /// Also of a client that has left, and so reads it in its trace and log alone.
  private static let requestTimeout = RefusalAnswer(
    408, "invalid_request_error", "request_timeout", "The request did not arrive in time.")

  private static let invalidMetadata = RefusalAnswer(
    400, "invalid_request_error", "invalid_json",
    "X-Catraca-Metadata must be a JSON object of at most 4 KiB.", param: "X-Catraca-Metadata")

  private static func rateLimited(retryAfterSeconds seconds: Int64) -> RefusalAnswer {
    var answer = RefusalAnswer(
      429, "rate_limit_error", "rate_limit_exceeded",
      "This key has used up its requests or tokens a minute. Try again in \(seconds) s.")
    answer.fields = [(.retryAfter, "\(seconds)"), (.shouldRetry, "true")]
    return answer
  }

  private static func tooMuchDeferredWork(limit: Int) -> RefusalAnswer {
    var answer = RefusalAnswer(
      429, "rate_limit_error", "rate_limit_exceeded",
      "This client has \(limit) background responses and batches under way, the most that it may "
        + "have at once. Try again when some of them have ended.")
    answer.fields = [(.retryAfter, "60"), (.shouldRetry, "true")]
    return answer
  }

  /// Refuses a request because its key's share is taken, or the memory for bodies.
  private static func withoutRoom(_ refusal: Refusal) -> RefusalAnswer {
    let answer =
      switch refusal {
      case .tooManyRequestsOfKey:
        RefusalAnswer(
          429, "rate_limit_error", "rate_limit_exceeded",
          "This key has as many requests open at once as it may have. Try again in 1 s.")
      case .tooManyBodiesOfKey:
        RefusalAnswer(
          429, "rate_limit_error", "rate_limit_exceeded",
          "The requests of this key have too many or too large bodies under way. Try again in 1 s.")
      default:
        RefusalAnswer(
          503, "server_error", "overloaded",
          "Too many large request bodies are under way. Try again in 1 s.")
      }
    return answer.with(.retryAfter, "1").with(.shouldRetry, "true")
  }

  private static func unavailable(_ refusal: Refusal) -> RefusalAnswer {
    switch refusal {
    case .ledgerUnavailable:
      RefusalAnswer(
        503, "server_error", "ledger_unavailable",
        "Usage can't be recorded right now, so nothing is forwarded.")
    case .shuttingDown:
      RefusalAnswer(503, "server_error", "shutting_down", "The gateway is stopping.")
        .with(.retryAfter, "1")
    case .tooManyConnectionsOfAddress:
      RefusalAnswer(
        503, "server_error", "overloaded", "Too many connections from this address are open.")
    default:
      RefusalAnswer(503, "server_error", "overloaded", "Too many connections are open.")
    }
  }

  private static func upstream(_ refusal: Refusal) -> RefusalAnswer {
    switch refusal {
    case .upstreamUnreachable(let provider):
      RefusalAnswer(
        502, "server_error", "upstream_unreachable",
        "The provider '\(provider)' can't be reached.")
    case .upstreamTimeout(let provider):
      RefusalAnswer(
        504, "server_error", "upstream_timeout",
        "The provider '\(provider)' did not answer in time.")
    case .upstreamInvalid(let provider):
      RefusalAnswer(
        502, "server_error", "upstream_invalid_response",
        "The provider '\(provider)' broke off or sent something that is not HTTP.")
    default: preconditionFailure("not a refusal about a provider")
    }
  }

  /// The same with one more header field.
  private func with(_ name: FieldName, _ value: String) -> RefusalAnswer {
    var answer = self
    answer.fields.append((name, value))
    return answer
  }

  /// The answer with its body and `fields`.
  func httpAnswer(requestID: String) -> HTTPAnswer {
    var writer = JSONWriter()
    writer.object { $0.member("error") { writeError(to: &$0) } }
    return RefusalAnswer.httpAnswer(
      status: status, fields: fields, body: writer.bytes, requestID: requestID)
  }

  /// The event that ends a stream of events in this answer's place. It has the form of each API's
  /// errors, so that SDKs raise their exceptions.
  func event() -> [UInt8] {
    var writer = JSONWriter()
    writer.object { event in
      event.member("type", "error")
      event.member("code", code)
      event.member("message", message)
      event.member("param", param)
      event.member("error") { writeError(to: &$0) }
    }
    return Array("event: error\ndata: ".utf8) + writer.bytes + Array("\n\n".utf8)
  }

  /// As the body says it; nil where it has none.
  var shownCode: String? { saysCode ? code : nil }

  func writeError(to writer: inout JSONWriter) {
    writer.object { error in
      error.member("message", message)
      error.member("type", type)
      error.member("param", param)
      error.member("code", shownCode)
    }
  }

  static func httpAnswer(
    status: Int, fields: [(FieldName, String)], body: [UInt8], requestID: String
  ) -> HTTPAnswer {
    var head = ResponseHead(status: status)
    head.fields.append(.contentType, constant: "application/json")
    head.fields.appendOwn(.catracaRequestID, requestID)
    for (name, value) in fields { head.fields.appendOwn(name, value) }
    return HTTPAnswer(head: head, body: body)
  }
}
