internal import HTTP

/// Where a request on the proxy listener goes, by its path alone.
enum ProxyRoute: Equatable {
  case health
  /// A client's call about its own use, with its key or its widget's token.
  case own
  /// To a provider. `provider` is the one that the path names; `endpoint` is the path without a
  /// provider's prefix, as in `usage_logs.endpoint`.
  case provider(named: String?, endpoint: String)
  /// The path names a provider that isn't configured.
  case unknownProvider(String)
  case unknown
  /// Another server could read the path as a different one.
  case ambiguous

  /// - Parameters:
  ///   - sent: the path as the client sent it. `ProxyRoute` alone reads it: everything else
  ///     sees and forwards the endpoint that comes out here.
  ///   - providers: names of the configured providers.
  init(path sent: String, providers: some Collection<String>) {
    guard let path = RequestTarget.plainPath(of: ProxyRoute.decodingModelName(in: sent)) else {
      self = sent == "*" ? .unknown : .ambiguous
      return
    }
    if path == "/healthz" {
      self = .health
      return
    }
    if path.hasPrefix("/api/") || path == "/widget" || path.hasPrefix("/widget/") {
      self = .own
      return
    }
    if path.hasPrefix("/v1/") {
      self = .provider(named: nil, endpoint: path)
      return
    }
    let named = path.dropFirst()
    guard let nameEnd = named.utf8.firstIndex(of: UInt8(ascii: "/")) else {
      self = .unknown
      return
    }
    // Groq's own paths begin with /openai/v1 behind its name.
    let rest = String(named[nameEnd...])
    let endpoint = rest.hasPrefix("/openai/v1/") ? String(rest.dropFirst("/openai".count)) : rest
    guard endpoint.hasPrefix("/v1/") else {
      self = .unknown
      return
    }
    let name = String(named[..<nameEnd])
    self =
      providers.contains(name) ? .provider(named: name, endpoint: endpoint) : .unknownProvider(name)
  }
  /// A path in which the escaped slashes of a model's name are slashes.
  ///
  /// Apps escape the name as one segment. Example: `/v1/models/openai%2Fgpt-oss-20b` is
  /// `/v1/models/openai/gpt-oss-20b`.
  private static func decodingModelName(in sent: String) -> String {
    guard RequestTarget.hasEscape(sent),
      let range = sent.firstRange(of: "/v1/models/")
    else { return sent }
    let name = sent[range.upperBound...].replacing("%2F", with: "/").replacing("%2f", with: "/")
    return String(sent[..<range.upperBound]) + name
  }
}
