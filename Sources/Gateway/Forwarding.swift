internal import Configuration
internal import HTTP
internal import Metering
internal import TLS
internal import Telemetry

/// What is changed in the header fields on the way (SPEC §4.4).
enum Forwarding {
  /// Fields that the provider doesn't get as they were sent.
  private static let replaced = FieldNameSet(
    // Those of the connection, and those that Catraca sets.
    .authorization, .host, .contentLength, .acceptEncoding, .expect, .idempotencyKey,
    // The body is sent decoded.
    .contentEncoding,
    // Who pays, and other credentials: the account is Catraca's to choose.
    "openai-organization", "openai-project", "api-key", "x-api-key", "x-goog-api-key", .cookie,
    // Another method or path than the one that was metered.
    "x-http-method-override", "x-http-method", "x-method-override", "x-original-url",
    "x-original-uri", "x-rewrite-url",
    // The way that the request took to Catraca.
    "forwarded", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip")
  /// Beginnings of names that the provider gets as little.
  private static let ownPrefix: StaticString = "x-catraca-"
  private static let forwardedPrefix: StaticString = "x-forwarded-"
  private static let webSocketPrefix: StaticString = "sec-websocket-"

  /// The longest `Idempotency-Key` that is sent, in bytes.
  static let longestIdempotencyKey = 255

  /// The fields that the provider gets: the client's, with the provider's key.
  ///
  /// Fields that act on the provider's account, or could have the provider read another request
  /// than the one that was metered, don't pass. Names with characters other than letters, digits
  /// and hyphens don't pass either: many servers read `OpenAI_Project` as `OpenAI-Project`.
  ///
  /// - Parameters:
  ///   - client: the id of the client, whose idempotency keys are its own.
  ///   - isUpgrade: whether a WebSocket is asked for. Otherwise its fields don't pass: one of them
  ///     may hold the client's key.
  ///   - readAsJSON: whether metering took the body for JSON; then the provider is told that it
  ///     is, lest it take the body for a form or for text in another encoding.
  ///   - position: where the request stands in a trace, which the provider may go on with; nil:
  ///     nothing is traced here, and what the client says of its trace passes.
  static func request(
    _ fields: HeaderFields, to provider: Provider, of client: String, isUpgrade: Bool = false,
    readAsJSON: Bool = false, at position: TracePosition? = nil
  ) -> HeaderFields {
    var forwarded = fields
    let replaced = replaced
    forwarded.removeHopByHop()
    forwarded.removeAll { name, _ in
      !FieldName.isPlain(name) || replaced.contains(name)
        || FieldName.isBeginning(ownPrefix, of: name)
        || FieldName.isBeginning(forwardedPrefix, of: name)
        || !isUpgrade && FieldName.isBeginning(webSocketPrefix, of: name)
    }
    if let key = fields.first(.idempotencyKey) {
      forwarded.appendOwn(.idempotencyKey, idempotencyKey(key, of: client))
    }
    if readAsJSON && !saysJSON(forwarded) {
      forwarded.remove(.contentType)
      forwarded.append(.contentType, constant: "application/json")
    }
    // Usage is read from the answer in passing, and is at hand sooner if that isn't compressed.
    forwarded.append(.acceptEncoding, constant: "identity")
    if let position {
      forwarded.remove(.traceparent)
      forwarded.appendOwn(.traceparent, position.context.traceparent)
      if !position.continuesCaller { forwarded.remove(.tracestate) }
    }
    if let key = provider.apiKey {
      forwarded.appendOwn(.authorization, "Bearer \(key.revealed())")
    }
    return forwarded
  }

  /// A client's idempotency key, as no other client can send it to the same account.
  ///
  /// Example: `order-1` of the client `acme` is sent as `acme:order-1`. If that is too long, the
  /// SHA-256 of it is sent behind a colon, which no client's id begins with.
  static func idempotencyKey(_ key: String, of client: String) -> String {
    let own = "\(client):\(key)"
    return own.utf8.count <= longestIdempotencyKey ? own : ":\(SHA256.digest(of: own).hex)"
  }

  /// Refuses a query that brings a credential of its own or another method.
  ///
  /// - Throws: 400, with the parameter's name as `param`.
  static func check(query: String?) throws(Refusal) {
    guard let query else { return }
    for parameter in query.split(whereSeparator: { $0 == "&" || $0 == ";" }) {
      let sent = parameter.prefix { $0 != "=" }
      let name = PercentEncoding.decode(sent, plusIsSpace: true) ?? String(sent)
      guard !refusedParameters.contains(name.lowercased()) else {
        throw .unreadable(
          .unsupported(param: name, reason: "The query may not have the parameter '\(name)'."))
      }
    }
  }

  private static let refusedParameters: Set<String> = [
    "api_key", "api-key", "apikey", "key", "access_token", "_method",
  ]

  /// The fields that the client gets: the provider's, but for those about its connection. Whoever
  /// pretends to be us is not believed.
  static func response(_ fields: HeaderFields) -> HeaderFields {
    var forwarded = fields
    forwarded.removeHopByHop()
    forwarded.removeAll { name, _ in
      FieldName.isBeginning(ownPrefix, of: name) || FieldName.contentLength.matches(name)
    }
    return forwarded
  }

  /// The provider's address for a request: its base stands for everything up to `/v1`.
  static func url(_ endpoint: String, query: String?, of provider: Provider) -> String {
    var url = provider.baseURL.description
    url += Substring(endpoint.utf8.dropFirst("/v1".utf8.count))
    if let query { url += "?\(query)" }
    return url
  }

  /// Whether the media type is JSON in the one encoding that JSON has.
  private static func saysJSON(_ fields: HeaderFields) -> Bool {
    if fields.first(.contentType, is: "application/json") { return true }
    guard let type = fields.first(.contentType)?.lowercased() else { return false }
    let pieces = type.split(separator: ";", omittingEmptySubsequences: false)
      .map { $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" } }
    return pieces == ["application/json", "charset=utf-8"]
  }
}
