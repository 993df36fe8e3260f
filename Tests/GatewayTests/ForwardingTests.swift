import Configuration
import HTTP
import Testing

@testable import Gateway

@Suite struct ForwardingTests {
  private func fields(_ lines: [(FieldName, String)]) throws -> HeaderFields {
    var fields = HeaderFields()
    for (name, value) in lines { try fields.append(name, value) }
    return fields
  }

  private func provider(
    _ base: String = "https://api.example.com/openai/v1", keyOwner: String? = nil,
    hidesAccount: Bool = false
  ) throws -> Provider {
    Provider(
      name: "example", baseURL: try #require(BaseURL(base)), apiKey: Secret("sk-of-the-provider"),
      keyOwner: keyOwner, hidesAccount: hidesAccount)
  }

  @Test("The provider gets its own key, and nothing that is for us")
  func request() throws {
    let sent = try fields([
      ("authorization", "Bearer sk-ctr-app"), ("Host", "proxy"),
      ("content-type", "application/json"),
      ("X-Catraca-User", "u1"), ("x-catraca-anything", "1"), ("Connection", "keep-alive, x-hop"),
      ("x-hop", "1"), ("Accept-Encoding", "gzip"), ("Content-Length", "2"),
      ("x-stainless-os", "Linux"),
    ])
    let forwarded = Forwarding.request(sent, to: try provider(), of: "acme")
    #expect(
      forwarded
        == (try fields([
          ("content-type", "application/json"), ("x-stainless-os", "Linux"),
          ("accept-encoding", "identity"), ("authorization", "Bearer sk-of-the-provider"),
        ])))
  }

  /// The names that a request's fields may not have, in any case.
  private static let withheld = [
    "OpenAI-Organization", "openai-project", "OPENAI-PROJECT", "api-key", "Api-Key", "x-api-key",
    "X-Goog-Api-Key", "X-Goog-User-Project", "X-Goog-Request-Params", "Ocp-Apim-Subscription-Key",
    "apikey", "X-Auth-Token", "X-Amz-Security-Token", "X-Amz-Target", "ChatGPT-Account-Id",
    "X-OpenAI-Actor-Authorization", "X-Functions-Key", "Private-Token", "X-OpenAI-Api-Key",
    "CF-Access-Client-Secret", "X-MS-Client-Principal-ID", "DPoP", "Signature", "Cookie",
    "Cookie2", "X-Access-Token", "Authentication",
    "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Original-URL",
    "X-Original-URI", "X-Rewrite-URL", "X-Original-Path", "X-Envoy-Original-Path",
    "X-Envoy-Expected-Rq-Timeout-Ms", "X-Host", "X-Original-Host", "X-HTTP-Host-Override",
    "Forwarded", "X-Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Prefix",
    "X-Real-IP", "X-Client-IP", "True-Client-IP", "CF-Connecting-IP", "CF-Connecting-IPv6",
    "X-Cluster-Client-IP", "Fastly-Client-IP", "Fly-Client-IP", "X-Azure-ClientIP", "Via",
    "X-Nf-Client-Connection-Ip", "CloudFront-Viewer-Address", "X-AppEngine-User-IP",
    "X-Original-Forwarded-For", "X-Originating-IP", "X-Remote-Addr", "Client-IP",
    "Sec-WebSocket-Protocol", "Sec-WebSocket-Key", "OpenAI_Organization",
    "X_HTTP_Method_Override", "Authorization_", "OpenAI.Project", "OpenAI!Project",
    "X~Original~URL", "Proxy-Authorization", "X-Catraca-User", "OpenAI-Org",
    "X-OpenAI-Organization", "OpenAI-Account", "X-Groq-Org", "X-Org-Id", "X-Project-Id", "X-Method",
    "X-Override-Method", "X-Original-Http-Method", "X-Original-Request-URI", "X-Subscription-Key",
    "X-User-Token", "X-Idempotency-Key",
  ]
  private static let conditional = [
    "Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since",
    "Content-Range",
  ]

  @Test(
    "A field that acts on the account, the method, the path or the way here doesn't pass",
    arguments: withheld)
  func dropped(name: String) throws {
    #expect(try isDropped(name, for: .answer) && isDropped(name, for: .content))
  }

  @Test("A part is asked for of a file's content alone", arguments: conditional)
  func conditions(name: String) throws {
    #expect(try isDropped(name, for: .answer) && isDropped(name, for: .upgrade))
    #expect(try !isDropped(name, for: .content))
  }

  private func isDropped(_ name: String, for purpose: WithheldFields.Purpose) throws -> Bool {
    let sent = try fields([(try #require(FieldName(name)), "v")])
    let forwarded = Forwarding.request(sent, to: try provider(), of: "acme", for: purpose)
    return forwarded
      == (try fields([
        ("accept-encoding", "identity"), ("authorization", "Bearer sk-of-the-provider"),
      ]))
  }

  @Test(
    "What apps may invent passes",
    arguments: [
      "X-Anything", "x-stainless-os", "OpenAI-Beta", "x-client-request-id", "User-Agent", "Accept",
      "X-Api-Keys", "X-Forwarded-", "X-Catraca-", "Forwarded-By", "traceparent", "X-Title",
      "HTTP-Referer", "X-Original-Filename", "X-Hosted-By", "X-Trip", "X-Key", "originator",
      "X-Client-Id", "X-Amount", "Origin", "X-Tokens", "X-Range", "If-X",
      "X-Methods", "X-Project-Name", "X-Model", "X-Account-Name", "X-Idempotency",
    ])
  func passes(name: String) throws {
    let field = try #require(FieldName(name))
    let sent = try fields([(field, "v")])
    let forwarded = Forwarding.request(sent, to: try provider(), of: "acme")
    #expect(forwarded.values(field) == ["v"])
  }

  @Test("A WebSocket's own fields pass with an upgrade alone")
  func webSocketFields() throws {
    let sent = try fields([("sec-websocket-key", "k"), ("sec-websocket-version", "13")])
    let forwarded = Forwarding.request(sent, to: try provider(), of: "acme", for: .upgrade)
    #expect(forwarded.first("sec-websocket-key") == "k")
    #expect(forwarded.first("sec-websocket-version") == "13")
  }

  @Test("An idempotency key is its client's own, and of bounded length")
  func idempotencyKeys() throws {
    let sent = try fields([("Idempotency-Key", "order-1"), ("idempotency-key", "order-2")])
    let forwarded = Forwarding.request(sent, to: try provider(), of: "acme")
    #expect(forwarded.values(.idempotencyKey) == ["acme:order-1"])
    let longest = String(repeating: "k", count: Forwarding.longestIdempotencyKey - 5)
    #expect(Forwarding.idempotencyKey(longest, of: "acme") == "acme:\(longest)")
    let hashed = Forwarding.idempotencyKey("\(longest)k", of: "acme")
    #expect(hashed.utf8.count == 65 && hashed.hasPrefix(":"))
    #expect(hashed != Forwarding.idempotencyKey("\(longest)k", of: "acne"))
    #expect(hashed != Forwarding.idempotencyKey("\(longest)kk", of: "acme"))
  }

  @Test(
    "A query can't bring a credential or a method",
    arguments: [
      ("api_key=x", true), ("limit=2&API-KEY=x", true), ("a=1;access_token=x", true),
      ("api%5Fkey=x", true), ("key", true), ("_method=DELETE", true), ("apikey=", true),
      ("organization=org-1", true), ("project=p", true), ("token=x", true), ("key%5B%5D=x", true),
      ("key[]=x", true), ("Key[0]=x", true), ("api%255fkey=x", true), ("api.key=x", true),
      ("api+key=x", true), ("+key=x", true), ("%00key=x", true), ("k%65y=x", true),
      ("api_key[a][b]=x", true), ("openai-organization=x", true), ("subscription-key=x", true),
      ("[key]=x", true), ("key%=x", true), ("k%C3=x", true), ("%2525256bey=x", true),
      ("a=1&PROJECT_ID=x", true), ("X-HTTP-Method-Override=PUT", true), ("auth_token=x", true),
      ("X-Goog-Api-Key=x", true), ("account=x", true), ("tenant=x", true), ("user_token=x", true),
      ("sig=x", true), ("x_method=PUT", true), ("Idempotency-Key=x", true),
      ("model=gpt-4o", false), ("signal=x", false), ("accounts=x", false),
      ("include[]=a&include[]=b", false), ("page_token=x", false), ("keys=x", false),
      ("project_ids=x", false), ("after=key", false), ("stream=true&starting_after=3", false),
      ("limit=2&after=file-1&order=desc", false), ("metadata[key]=x", false),
      ("purpose=key", false),
      ("api-version=2026-11-01", false), ("", false),
    ])
  func queries(query: String, isRefused: Bool) {
    do throws(Refusal) {
      try WithheldFields.check(query: query)
      #expect(!isRefused)
    } catch {
      #expect(isRefused)
    }
  }

  @Test(
    "The query of a metered request can't say what its body says of its price",
    arguments: [
      ("model=gpt-4o", true), ("Model[]=x", true), ("service%5Ftier=flex", true), ("n=2", true),
      ("api-version=2026-11-01", false), ("include[]=usage", false),
    ])
  func queriesOfMetered(query: String, isRefused: Bool) {
    do throws(Refusal) {
      try WithheldFields.check(queryOfMetered: query)
      #expect(!isRefused)
    } catch {
      #expect(isRefused)
    }
  }

  @Test(
    "What was read as JSON is forwarded as JSON",
    arguments: [
      ("application/json", true), ("Application/JSON ; charset=\"utf-8\"", true),
      ("application/json; charset=utf-16", false), ("application/json;", false),
      ("application/x-www-form-urlencoded", false), ("text/plain", false), (nil, false),
    ] as [(String?, Bool)])
  func mediaType(said: String?, stays: Bool) throws {
    let sent = try fields(said.map { [(.contentType, $0)] } ?? [])
    let forwarded = Forwarding.request(sent, to: try provider(), of: "acme", readAsJSON: true)
    #expect(forwarded.count(of: .contentType) == 1)
    #expect(forwarded.first(.contentType) == (stays ? said : "application/json"))
    #expect(Forwarding.request(sent, to: try provider(), of: "acme").first(.contentType) == said)
  }

  @Test("The client gets the provider's fields, but none that speak in our name")
  func response() throws {
    let answered = try fields([
      ("content-type", "application/json"), ("x-request-id", "r"), ("Content-Length", "9"),
      ("Transfer-Encoding", "chunked"), ("x-catraca-cost-usd", "0"), ("x-ratelimit-limit", "5"),
    ])
    #expect(
      Forwarding.response(answered, from: try provider())
        == (try fields([
          ("content-type", "application/json"), ("x-request-id", "r"), ("x-ratelimit-limit", "5"),
        ])))
  }

  /// Which of some fields a client gets.
  private func shown(_ names: [FieldName], from provider: Provider) throws -> [String] {
    let answered = Forwarding.response(try fields(names.map { ($0, "v") }), from: provider)
    return names.filter(answered.contains).map(\.lowercased)
  }

  @Test("An account of all clients shows its name and its limits, unless they are to be hidden")
  func accountFields() throws {
    let cookies: [FieldName] = ["set-cookie", "set-cookie2"]
    let account: [FieldName] = ["openai-organization", "openai-project"]
    let limits: [FieldName] = [
      "x-ratelimit-remaining-requests", "x-ratelimit-reset-tokens", "ratelimit",
      "ratelimit-remaining", "anthropic-ratelimit-requests-remaining",
    ]
    let others: [FieldName] = [
      "openai-version", "openai-processing-ms", "retry-after", "x-request-id", "cf-ray",
    ]
    let all = cookies + account + limits + others
    let names = { (fields: [FieldName]) in fields.map(\.lowercased) }
    #expect(try shown(all, from: provider()) == names(account + limits + others))
    #expect(try shown(all, from: provider(hidesAccount: true)) == names(others))
    let own = try provider(keyOwner: "acme", hidesAccount: true)
    #expect(try shown(all, from: own) == names(account + limits + others))
  }

  @Test("A field that shows the key is left out, at any status")
  func keyInFields() throws {
    let answered = try fields([
      ("location", "https://h/?key=sk-of-the-provider"), ("x-debug", "Bearer sk-of-the-provi"),
      ("x-request-id", "sk-of-the"), ("x-other", "v"),
    ])
    #expect(
      Forwarding.response(answered, from: try provider())
        == (try fields([("x-request-id", "sk-of-the"), ("x-other", "v")])))
  }

  @Test("A name of a cache is its client's own, and has 64 bytes at most")
  func cacheNames() {
    #expect(Forwarding.cacheName("agent-7", of: "acme") == "acme:agent-7")
    #expect(Forwarding.cacheName("agent-7", of: "other") == "other:agent-7")
    let longest = String(repeating: "k", count: 59)
    #expect(Forwarding.cacheName(longest, of: "acme") == "acme:\(longest)")
    let hashed = Forwarding.cacheName("\(longest)k", of: "acme")
    #expect(hashed.utf8.count == 64 && hashed.hasPrefix(":"))
    #expect(hashed == Forwarding.cacheName("\(longest)k", of: "acme"))
    #expect(hashed != Forwarding.cacheName("\(longest)k", of: "acne"))
    #expect(hashed != Forwarding.cacheName("\(longest)kk", of: "acme"))
  }

  @Test(
    "The base stands for everything up to /v1",
    arguments: [
      ("/v1/chat/completions", nil, "https://api.example.com/openai/v1/chat/completions"),
      (
        "/v1/models", "limit=2&after=a%20b",
        "https://api.example.com/openai/v1/models?limit=2&after=a%20b"
      ),
    ] as [(String, String?, String)])
  func addresses(endpoint: String, query: String?, expected: String) throws {
    #expect(Forwarding.url(endpoint, query: query, of: try provider()) == expected)
  }
}
