internal import Configuration
internal import HTTP
internal import Upstream

/// A call that Catraca makes of its own accord: it makes no row and costs nothing.
struct OwnCall {
  let provider: Provider
  let method: Method
  /// Without a provider's prefix: `/v1/…`.
  let path: String
  var body: UpstreamBody = .none
  /// How long the provider may be silent.
  let patience: Duration

  func start(on upstream: UpstreamClient) throws(UpstreamError) -> Transfer {
    var fields = HeaderFields()
    if case .bytes = body { fields.append(.contentType, constant: "application/json") }
    fields.append(.acceptEncoding, constant: "identity")
    if let key = provider.apiKey {
      fields.appendOwn(.authorization, "Bearer \(key.revealed())")
    }
    return try upstream.start(
      UpstreamRequest(
        url: Forwarding.url(path, query: nil, of: provider), method: method, fields: fields,
        body: body, connectTimeout: patience, idleTimeout: patience,
        certificateAuthorities: provider.caFile))
  }
}

extension Transfer {
  /// The whole body; nil, and the transfer cancelled, where it is larger than `limit`.
  func body(atMost limit: Int) async throws(UpstreamError) -> [UInt8]? {
    var body: [UInt8] = []
    var piece: [UInt8] = []
    while try await next(into: &piece) {
      body += piece
      guard body.count <= limit else {
        cancel()
        return nil
      }
    }
    return body
  }
}
