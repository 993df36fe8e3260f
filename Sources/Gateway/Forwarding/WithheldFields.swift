internal import HTTP
internal import Metering

/// Header fields of apps that don't pass to a provider, and parameters of queries that are refused.
///
/// All apps share the accounts at the providers. A field is withheld if it chooses an account or
/// carries a credential, if it could have a server read another request than the metered one, or
/// if it states the address of a peer. Fields that apps invent pass.
enum WithheldFields {
  /// The purpose of a request, which decides about some of its fields.
  enum Purpose {
    /// An answer that Catraca reads.
    case answer
    /// The content of a file or of the like, which passes as it is. The app may ask for a part of
    /// it, or for it on a condition.
    case content
    /// A WebSocket, whose own fields the provider needs.
    case upgrade
  }

  /// The fields that a provider doesn't get as they were sent.
  static func names(for purpose: Purpose) -> FieldNameSet {
    switch purpose {
    case .answer: forAnswer
    case .content: forContent
    case .upgrade: forUpgrade
    }
  }

  private static let forAnswer = set(always + conditions, beginnings: [webSocket])
  private static let forContent = set(always, beginnings: [webSocket])
  private static let forUpgrade = set(always + conditions, beginnings: [])

  private static func set(_ names: [FieldName], beginnings: [FieldName]) -> FieldNameSet {
    FieldNameSet(names, beginnings: self.beginnings + beginnings, endings: endings)
  }

  private static let always = own + account + otherRequest + peer

  /// Fields of the connection and of the body as it came, and those that Catraca sets.
  private static let own: [FieldName] = [
    .authorization, .host, .contentLength, .contentEncoding, .acceptEncoding, .expect,
    .idempotencyKey,
  ]

  /// Fields that say who pays, and other credentials.
  private static let account: [FieldName] = [
    "openai-organization", "openai-project", "api-key", "apikey", "x-apikey", "auth-token",
    "access-token", "x-token", "private-token", .cookie, "cookie2", "authentication",
    "ocp-apim-subscription-key", "subscription-key", "x-functions-key", "x-auth-key",
    "x-auth-email", "x-auth-user", "x-auth-request-user", "x-auth-request-email", "x-remote-user",
    "remote-user", "x-authenticated-user", "x-authenticated-userid", "x-client-cert",
    "x-client-secret", "client-secret", "dpop", "signature", "signature-input", "x-org-id",
    "x-organization-id", "x-project-id", "x-account-id", "x-tenant-id", "user-token",
    "openai-org", "x-openai-org", "openai-account", "x-openai-account", "x-openai-project",
    "groq-org", "x-groq-org", "groq-project", "x-groq-project",
  ]

  /// Another method, path or host than the metered request has.
  private static let otherRequest: [FieldName] = [
    "x-http-method-override", "x-http-method", "x-method-override", "x-original-method",
    "x-original-url", "x-original-uri", "x-original-path", "x-rewrite-url", "x-rewrite-uri",
    "x-override-url", "x-request-uri", "x-uri", "x-proxy-url", "request-uri",
    "x-waws-unencoded-url", "x-http-path-override", "x-http-url-override", "x-host",
    "x-original-host", "x-http-host-override", "x-http-destinationurl", "x-proxy-host",
    "x-backend-host", "x-upstream-host", "x-server-name", "x-scheme", "x-url-scheme",
    "x-original-scheme", "x-original-proto", "front-end-https", "x-real-host", "x-real-port",
    "x-method", "x-override-method", "x-original-http-method", "x-original-request-uri",
    "x-original-request-url", "x-http-original-method", "x-override-uri",
  ]

  /// The way that the request took to Catraca, and the peers on it.
  private static let peer: [FieldName] = [
    "forwarded", "forwarded-for", "x-forwarded", "forwarded-for-ip", "x-original-forwarded-for",
    "via", "x-originating-ip", "x-original-ip", "x-remote-addr", "remote-addr", "x-ip",
    "x-client-host", "x-peer-addr", "x-coming-from", "fastly-client", "fastly-ff",
    "x-cluster-client", "wl-proxy-client-ip", "cdn-loop", "cdn-src-ip", "x-sucuri-clientip",
    "x-clientip", "clientip", "client-ip", "real-ip", "x-varnish", "x-bluecoat-via",
  ]

  /// A part of an answer, or an answer on a condition: Catraca has to read it whole.
  private static let conditions: [FieldName] = [
    "range", "content-range", "if-range", "if-match", "if-none-match", "if-modified-since",
    "if-unmodified-since",
  ]

  /// Fields of Catraca, of proxies in front of it, and of services that keep accounts.
  private static let beginnings: [FieldName] = [
    "x-catraca-", "x-forwarded-", "x-envoy-", "x-goog-", "x-amz-", "x-amzn-oidc-", "x-azure-",
    "x-appengine-", "x-ms-client-principal", "x-ms-token-", "chatgpt-", "cf-", "cloudfront-",
    "ssl-client-", "x-ssl-client-", "openai-org", "x-openai-org", "openai-account",
    "x-openai-account", "openai-project", "x-openai-project", "groq-org", "x-groq-org",
    "groq-project", "x-groq-project",
  ]
  private static let webSocket: FieldName = "sec-websocket-"

  /// Credentials, names of repeated requests and addresses of peers, whatever stands before them.
  /// Of two clients with the same name of a request, one could be answered what the other asked.
  private static let endings: [FieldName] = [
    "-api-key", "-apikey", "-api-token", "-auth-token", "-access-token", "-id-token",
    "-refresh-token", "-security-token", "-session-token", "-bearer-token", "-authorization",
    "-client-ip", "-real-ip", "-connecting-ip", "-connection-ip", "-connecting-ipv6",
    "-remote-ip", "-user-ip", "-proxyuser-ip", "-user-token", "-subscription-key",
    "-idempotency-key",
  ]

  // MARK: Queries

  /// Refuses a query that brings a credential, an account or another method.
  ///
  /// A name is recognized in every spelling that some server reads as it: escaped once or several
  /// times, in capitals, with other signs between its letters, as an element of a list or a map.
  /// Example: `api_key`, `API-KEY`, `api%5Fkey`, `apikey[]` and `api_key[0]` are one name.
  ///
  /// - Throws: 400, with the parameter's name as `param`.
  static func check(query: String?) throws(Refusal) {
    try check(query, for: refusedParameters)
  }

  /// Refuses a query of a metered request that brings what only its body may say, and what decides
  /// its price.
  ///
  /// Lists and what operators have opened may be narrowed by a model.
  ///
  /// - Throws: 400, with the parameter's name as `param`.
  static func check(queryOfMetered query: String?) throws(Refusal) {
    if query == nil { return }
    try check(query, for: parametersOfBodies)
  }

  @inline(never)
  private static func check(_ query: String?, for refused: Set<String>) throws(Refusal) {
    guard let query else { return }
    for parameter in query.split(whereSeparator: { $0 == "&" || $0 == ";" }) {
      let name = try decoded(parameter.prefix { $0 != "=" })
      let list = name.first == "[" ? name[...] : name.prefix { $0 != "[" }
      let plain = list.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
      guard !refused.contains(plain) else {
        throw .unreadable(
          .unsupported(param: name, reason: "The query may not have the parameter '\(name)'."))
      }
    }
  }

  /// A parameter's name without escapes.
  ///
  /// - Throws: 400 for a broken escape, and for a name that is escaped many times.
  private static func decoded(_ sent: Substring) throws(Refusal) -> String {
    var name = String(sent)
    for _ in 0..<mostEscapes {
      guard name.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") })
      else { return name }
      guard let next = PercentEncoding.decode(name, plusIsSpace: true) else { break }
      name = next
    }
    throw .unreadable(
      .invalid(
        param: "query", expected: "of names in UTF-8 that are escaped properly, at most twice"))
  }

  /// How often a name is decoded until it must be free of escapes.
  private static let mostEscapes = 3

  /// Letters and digits alone.
  private static let refusedParameters: Set<String> = [
    "apikey", "xapikey", "key", "apitoken", "token", "accesstoken", "authtoken", "xauthtoken",
    "idtoken", "bearer", "bearertoken", "auth", "authorization", "secret", "clientsecret",
    "subscriptionkey", "ocpapimsubscriptionkey", "organization", "organizationid", "org", "orgid",
    "openaiorganization", "project", "projectid", "openaiproject", "chatgptaccountid", "method",
    "httpmethod", "methodoverride", "httpmethodoverride", "xhttpmethodoverride", "xmethod",
    "xhttpmethod", "xmethodoverride", "googapikey", "xgoogapikey", "account", "accountid",
    "tenant", "tenantid", "usertoken", "xusertoken", "sig", "signature", "idempotencykey",
    "xidempotencykey", "apibase", "baseurl", "apibaseurl", "customllmprovider",
    "litellmcredentialname", "userconfig", "azureendpoint", "awsbedrockruntimeendpoint",
    "vertexcredentials", "litellmparams", "modellist", "extraheaders", "endpoint", "proxy",
  ]

  private static let parametersOfBodies: Set<String> = [
    "model", "models", "fallbackmodel", "fallbacks", "servicetier", "n", "maxtokens",
    "maxcompletiontokens", "maxoutputtokens", "maxtoolcalls", "background", "preset",
  ]
}
