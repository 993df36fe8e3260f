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

/// The reason that Stripe didn't carry out a request.
enum StripeError: Error, Hashable {
  /// Stripe couldn't be reached, gave no answer, or can't serve any request now.
  case unavailable(reason: String)
  /// Stripe refused.
  case refused(Refusal)

  struct Refusal: Hashable {
    var status: Int
    /// Stripe's code, for example `card_declined`; nil if it names none.
    var code: String?
    var message: String
    /// The refused payment; nil if Stripe doesn't name it.
    var payment: String?

    /// Whether the object doesn't exist.
    var isMissing: Bool { status == 404 }
  }

  var reason: String {
    switch self {
    case .unavailable(let reason): reason
    case .refused(let refusal): refusal.code.map { "\($0): \(refusal.message)" } ?? refusal.message
    }
  }
}

/// The fields of a call to Stripe, as `application/x-www-form-urlencoded`.
struct StripeForm: ExpressibleByDictionaryLiteral {
  private var fields: [(String, String)]

  init(dictionaryLiteral elements: (String, String)...) {
    fields = elements
  }

  mutating func append(_ name: String, _ value: String) {
    fields.append((name, value))
  }

  var isEmpty: Bool { fields.isEmpty }

  var text: String {
    fields.map { "\(StripeForm.encoded($0))=\(StripeForm.encoded($1))" }.joined(separator: "&")
  }

  private static func encoded(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "["), UInt8(ascii: "]"):
        encoded.unicodeScalars.append(UnicodeScalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        encoded += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return encoded
  }
}
