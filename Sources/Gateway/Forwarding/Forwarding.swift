internal import Configuration
internal import HTTP
internal import Metering
internal import TLS
internal import Telemetry

/// Changes the header fields of requests and answers on their way (article Forwarding).
enum Forwarding {
  /// The longest `Idempotency-Key` that is sent, in bytes.
  static let longestIdempotencyKey = 255

  /// The fields that the provider gets: the client's, with the provider's key.
  ///
  /// Fields that `WithheldFields` names don't pass. Names with characters other than letters,
  /// digits and hyphens don't pass either: many servers read `OpenAI_Project` as `OpenAI-Project`.
  ///
  /// - Parameters:
  ///   - client: the id of the client, whose idempotency keys are its own.
  ///   - purpose: the purpose of the request, which decides about some fields.
  ///   - readAsJSON: whether metering took the body for JSON; then the provider is told that it
  ///     is, lest it take the body for a form or for text in another encoding.
  ///   - position: where the request stands in a trace, which the provider may go on with; nil:
  ///     nothing is traced here, and what the client says of its trace passes.
  static func request(
    _ fields: HeaderFields, to provider: Provider, of client: String,
    for purpose: WithheldFields.Purpose = .answer, readAsJSON: Bool = false,
    at position: TracePosition? = nil
  ) -> HeaderFields {
    var forwarded = fields
    let withheld = WithheldFields.names(for: purpose)
    forwarded.removeHopByHop()
    forwarded.removeAll { name, _ in !FieldName.isPlain(name) || withheld.contains(name) }
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
    let own = "\(ownBeginning(of: client))\(key)"
    return own.utf8.count <= longestIdempotencyKey ? own : ":\(SHA256.digest(of: own).hex)"
  }

  /// The longest name of a cache that is sent, in bytes.
  static let longestCacheName = 64

  /// A client's name for a cache or for related work, as no other client can send it to the same
  /// account.
  ///
  /// Example: the `prompt_cache_key` `agent-7` of the client `acme` is sent as `acme:agent-7`. If
  /// that is too long, the first 63 digits of its SHA-256 are sent behind a colon, with which no
  /// client's id begins. A batch's file may not have such a name.
  static func cacheName(_ name: String, of client: String) -> String {
    let own = "\(ownBeginning(of: client))\(name)"
    if own.utf8.count <= longestCacheName { return own }
    return ":\(SHA256.digest(of: own).hex.prefix(longestCacheName - 1))"
  }

  /// The beginning of a client's names at an account that several clients share.
  static func ownBeginning(of client: String) -> String { "\(client):" }

  /// The fields that the client gets: the provider's, without those that `WithheldAnswers` names,
  /// and without any that shows the provider's key.
  static func response(_ fields: HeaderFields, from provider: Provider) -> HeaderFields {
    var forwarded = fields
    forwarded.removeHopByHop()
    let withheld = WithheldAnswers.names(from: provider)
    forwarded.removeAll { name, _ in withheld.contains(name) }
    if let key = provider.apiKey, fields.withAllBytes(key.isShown) {
      return ProviderKeyRedaction(of: [provider]).redacted(forwarded)
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
