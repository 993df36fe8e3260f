internal import Configuration
internal import HTTP
internal import Telemetry

/// What is changed in the header fields on the way (SPEC §4.4).
enum Forwarding {
  /// Fields that are for Catraca, or about the connection that it ends.
  private static let ownPrefix: [UInt8] = Array("x-catraca-".utf8)
  private static let replaced = FieldNameSet(
    .authorization, .host, .contentLength, .acceptEncoding, .expect)

  /// The fields that the provider gets: the client's, with the provider's key.
  ///
  /// - Parameters:
  ///   - readAsJSON: whether metering took the body for JSON; then the provider is told that it
  ///     is, lest it take the body for a form or for text in another encoding.
  ///   - position: where the request stands in a trace, which the provider may go on with; nil:
  ///     nothing is traced here, and what the client says of its trace passes.
  static func request(
    _ fields: HeaderFields, to provider: Provider, readAsJSON: Bool = false,
    at position: TracePosition? = nil
  ) -> HeaderFields {
    var forwarded = fields
    let replaced = replaced
    forwarded.removeHopByHop()
    forwarded.removeAll { name, _ in isOwn(name) || replaced.contains(name) }
    if readAsJSON && !saysJSON(forwarded) {
      forwarded.remove(.contentType)
      forwarded.append(.contentType, constant: "application/json")
    }
    // Usage is read from the answer in passing, so it must not be compressed.
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

  /// The fields that the client gets: the provider's, but for those about its connection. Whoever
  /// pretends to be us is not believed.
  static func response(_ fields: HeaderFields) -> HeaderFields {
    var forwarded = fields
    forwarded.removeHopByHop()
    forwarded.removeAll { name, _ in isOwn(name) || FieldName.contentLength.matches(name) }
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

  private static func isOwn(_ name: Span<UInt8>) -> Bool {
    guard name.count > ownPrefix.count else { return false }
    for index in ownPrefix.indices where name[index] | 0x20 != ownPrefix[index] | 0x20 {
      return false
    }
    return true
  }
}
