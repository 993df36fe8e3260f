internal import Budgets
internal import HTTP
internal import JSON
internal import Pages

/// An error of the API, as its caller reads it.
struct APIError: Error {
  let status: Int
  let type: String
  let code: String
  let message: String
  /// The field or parameter at fault; nil if it isn't one.
  var param: String?
  /// The internal cause of a server error. It appears only in the log.
  var cause: String?
  /// The text that a page shows instead of `message`.
  var phrase: Phrase?
  /// Additional header fields of the answer.
  var fields: [(FieldName, String)] = []

  private init(_ status: Int, _ type: String, _ code: String, _ message: String) {
    self.status = status
    self.type = type
    self.code = code
    self.message = message
  }

  private static func invalid(
    _ status: Int, _ code: String, _ message: String, param: String? = nil
  ) -> APIError {
    var error = APIError(status, "invalid_request_error", code, message)
    error.param = param
    return error
  }

  // MARK: 400

  static func invalidJSON(_ reason: String) -> APIError {
    invalid(400, "invalid_json", "The body is not a JSON object: \(reason).")
  }

  static func missingField(_ name: String) -> APIError {
    invalid(400, "missing_field", "\(name) is missing.", param: name)
  }

  static func unknownField(_ name: String, allowed: [String]) -> APIError {
    let list = allowed.isEmpty ? "none" : allowed.joined(separator: ", ")
    return invalid(
      400, "unknown_field", "There is no \(name) here; allowed: \(list).", param: name)
  }

  static func invalidValue(_ name: String, allowed: String) -> APIError {
    invalid(400, "invalid_value", "\(name) is not valid; allowed: \(allowed).", param: name)
  }

  static func malformed(_ error: HTTPError) -> APIError {
    invalid(
      error.status, "invalid_value", "This is not a request that HTTP/1.1 allows: \(error).")
  }

  /// Has no header fields of its own, so HTTP always allows it.
  static let unsendableField = invalid(
    400, "invalid_value", "The answer would need a header field that HTTP does not allow.")

  // MARK: 401 … 405

  static let invalidCredential = APIError(
    401, "authentication_error", "invalid_api_key",
    "No valid token was given. Send it as 'Authorization: Bearer TOKEN'.")

  /// - Parameter portuguese: The text in Portuguese for pages; nil if no page shows the error.
  static func forbidden(_ why: String, portuguese: String? = nil) -> APIError {
    var error = APIError(403, "permission_error", "forbidden", why)
    error.phrase = portuguese.map { Phrase(why, $0) }
    return error
  }

  static let ofViewer = forbidden(
    "A viewer's token can't change anything.",
    portuguese: "O token de um leitor não pode alterar nada.")
  static let ofForeignForm = forbidden(
    "A form must be sent from this site's own pages.",
    portuguese: "O formulário precisa ser enviado a partir deste site.")

  static func notFound(_ what: String) -> APIError {
    invalid(404, "not_found", "There is no \(what).")
  }

  static func methodNotAllowed(_ allowed: [String]) -> APIError {
    let list = allowed.joined(separator: ", ")
    var error = invalid(405, "method_not_allowed", "Allowed here: \(list).")
    error.fields = [("allow", list)]
    return error
  }

  // MARK: 408 … 504

  static let requestTimeout = invalid(
    408, "request_timeout", "The request did not arrive in time.")

  static func misdirected(_ host: String) -> APIError {
    let text =
      "This server isn't called \(host). Allowed: localhost, the listener's address, and the names "
      + "of admin.hosts in catraca.yaml."
    var error = invalid(421, "misdirected_request", text)
    error.phrase = Phrase(
      text,
      "Este servidor não se chama \(host). Use localhost, o endereço do servidor ou um dos nomes "
        + "de admin.hosts no catraca.yaml."
    )
    return error
  }

  static func alreadyExists(_ what: String) -> APIError {
    invalid(409, "already_exists", "There is already \(what).")
  }

  static func declaredInFile(_ what: String, line: Int) -> APIError {
    invalid(
      409, "declared_in_file",
      "\(what) is declared in clients.yaml:\(line); it can only be changed there.")
  }

  init(_ mistake: FieldMistake) {
    self =
      mistake.kind == .missing
      ? .missingField(mistake.field) : .invalidValue(mistake.field, allowed: mistake.allowed)
  }

  static func inUse(_ what: String, by user: String) -> APIError {
    invalid(409, "in_use", "\(what) can't be removed while it is used by \(user).")
  }

  static func idempotencyConflict(_ why: String) -> APIError {
    var error = invalid(409, "idempotency_conflict", why)
    error.param = "Idempotency-Key"
    return error
  }

  static let keyOfAnotherCall = idempotencyConflict(
    "This Idempotency-Key belongs to another call.")
  static let answerNotKnownYet = idempotencyConflict(
    "Another call with this Idempotency-Key is running, or was cut off. Repeat the call later: it "
      + "gets the same answer, or is carried out if the other call was cut off.")
  static let secretIsShownNoMore = idempotencyConflict(
    "The call was carried out. Its secret is no longer available.")

  static func tooLarge(limit: Int) -> APIError {
    invalid(413, "request_too_large", "The body is larger than \(limit) bytes.")
  }

  static func headTooLarge(limit: Int) -> APIError {
    invalid(
      431, "request_too_large", "The request line and header are larger than \(limit) bytes.")
  }

  static func tooManyFailures(retryAfterSeconds: Int64) -> APIError {
    var error = APIError(
      429, "rate_limit_error", "rate_limit_exceeded", "Too many failed sign-ins.")
    error.fields = [(.retryAfter, "\(retryAfterSeconds)")]
    return error
  }

  static let tooManyBodiesOfCaller = withRetry(
    APIError(
      429, "rate_limit_error", "rate_limit_exceeded",
      "This caller is sending too many or too large request bodies. Try again in 1 s."))

  static let tooManyRequestsOfCaller = withRetry(
    APIError(
      429, "rate_limit_error", "rate_limit_exceeded",
      "This caller has too many requests open at once. Try again in 1 s."))

  static let tooManyBodies = withRetry(
    APIError(
      503, "server_error", "overloaded",
      "The server is receiving too many large request bodies. Try again in 1 s."))

  private static func withRetry(_ error: APIError) -> APIError {
    var error = error
    error.fields = [(.retryAfter, "1")]
    return error
  }

  static let ledgerUnavailable = APIError(
    503, "server_error", "ledger_unavailable", "The ledger can't be used right now.")

  static let undecided = APIError(
    504, "server_error", "outcome_unknown",
    "The ledger doesn't answer whether the change was made. Check, or repeat the call with the "
      + "same Idempotency-Key.")

  static func paymentUnavailable(_ reason: String) -> APIError {
    APIError(
      503, "server_error", "payment_provider_unavailable",
      "The payment provider can't be reached right now: \(reason).")
  }

  static let tooManyPages = APIError(
    503, "server_error", "overloaded", "Too many pages are open already.")

  static let overloaded = APIError(
    503, "server_error", "overloaded", "Too many connections are open.")

  static let tooManyConnectionsOfAddress = APIError(
    503, "server_error", "overloaded", "Too many connections from this address are open.")
}

extension APIError {
  /// The schema of what `answer(saysSuccess:)` writes.
  static func schema(saysSuccess: Bool) -> JSONSchema {
    let error: Fields = [
      "error": .object([
        "message": .anyText, "type": .anyText, "param": .anyText.orNull, "code": .anyText,
      ])
    ]
    return saysSuccess
      ? .named("BillingError", .object(["success": .boolean] + error))
      : .named("Error", .object(error))
  }

  /// The answer in the shape of OpenAI's errors.
  var answer: Answer { answer(saysSuccess: false) }

  /// - Parameter saysSuccess: Whether the body begins with `"success":false`, as under
  ///   `/api/token-billing/`.
  func answer(saysSuccess: Bool) -> Answer {
    var answer = Answer(status: status) { body in
      body.object { body in
        if saysSuccess { body.member("success", false) }
        body.member("error") { error in
          error.object { error in
            error.member("message", message)
            error.member("type", type)
            error.member("param", param)
            error.member("code", code)
          }
        }
      }
    }
    answer.fields = fields
    return answer
  }
}
