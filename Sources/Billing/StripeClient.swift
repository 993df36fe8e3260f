internal import Configuration
internal import EventLoop
internal import HTTP
internal import JSON
internal import Upstream

/// Calls Stripe's API from one event loop.
final class StripeClient: Sendable {
  private let loop: EventLoop
  private let services: LoopBound<ServiceClient>

  /// The time after which a call has failed.
  private static let timeout = Duration.seconds(20)

  init(on loop: EventLoop) async {
    self.loop = loop
    services = await Task(executorPreference: loop) {
      LoopBound(ServiceClient(on: loop), on: loop)
    }.value
  }

  func get(
    _ path: String, _ query: StripeForm = [:], of account: StripeSettings
  ) async throws(StripeError) -> JSONValue {
    try await call(.get, query.isEmpty ? path : "\(path)?\(query.text)", nil, nil, account)
  }

  /// - Parameter key: The key by which Stripe recognizes a repetition of the call.
  func post(
    _ path: String, _ form: StripeForm = [:], key: String? = nil, of account: StripeSettings
  ) async throws(StripeError) -> JSONValue {
    try await call(.post, path, form, key, account)
  }

  func delete(_ path: String, of account: StripeSettings) async throws(StripeError) -> JSONValue {
    try await call(.delete, path, nil, nil, account)
  }

  private func call(
    _ method: Method, _ path: String, _ form: StripeForm?, _ key: String?,
    _ account: StripeSettings
  ) async throws(StripeError) -> JSONValue {
    let request = try StripeClient.request(method, path, form, key, account)
    let work = Task(executorPreference: loop) {
      [services] () -> Result<ServiceClient.Answer, UpstreamError> in
      do throws(UpstreamError) {
        return .success(try await services.value.call(request, within: StripeClient.timeout))
      } catch {
        return .failure(error)
      }
    }
    switch await work.value {
    case .failure(let error): throw .unavailable(reason: "\(account.baseURL): \(error)")
    case .success(let answer): return try StripeClient.read(answer)
    }
  }

  private static func request(
    _ method: Method, _ path: String, _ form: StripeForm?, _ key: String?,
    _ account: StripeSettings
  ) throws(StripeError) -> UpstreamRequest {
    guard let secret = account.secretKey else {
      throw .unavailable(reason: "payments.secret_key_env has no secret")
    }
    var fields = HeaderFields()
    do {
      try fields.append(.authorization, "Bearer \(secret.revealed())")
      if let key { try fields.append(.idempotencyKey, key) }
    } catch {
      throw .unavailable(reason: "a header field can't be sent")
    }
    fields.append(.userAgent, constant: "Catraca")
    if form != nil {
      fields.append(.contentType, constant: "application/x-www-form-urlencoded")
    }
    return UpstreamRequest(
      url: "\(account.baseURL)/v1/\(path)", method: method, fields: fields,
      body: form.map { .bytes(Array($0.text.utf8)) } ?? .none, connectTimeout: timeout,
      idleTimeout: timeout, certificateAuthorities: nil)
  }

  /// Statuses that say nothing about the request itself: a wrong key, a conflict with another call,
  /// too many calls.
  private static let unavailableStatuses: Set<Int> = [401, 403, 409, 429]

  private static func read(_ answer: ServiceClient.Answer) throws(StripeError) -> JSONValue {
    let status = answer.status
    let object = answer.body.flatMap { try? JSONParser().parse($0) }
    if (200..<300).contains(status), let object, object.kind == .object { return object }
    let error = object?["error"]
    let message = error?["message"]?.string ?? "status \(status)"
    guard (400..<500).contains(status), !unavailableStatuses.contains(status) else {
      throw .unavailable(reason: "\(status): \(message)")
    }
    throw .refused(
      StripeError.Refusal(
        status: status, code: error?["code"]?.string, message: message,
        payment: error?["payment_intent"]?["id"]?.string))
  }

  /// Cancels the calls in progress. No further call is possible.
  func close() async {
    await Task(executorPreference: loop) { [services] in services.value.close() }.value
  }
}
