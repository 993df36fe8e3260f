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

  private func provider(_ base: String = "https://api.example.com/openai/v1") throws -> Provider {
    Provider(
      name: "example", baseURL: try #require(BaseURL(base)), apiKey: Secret("sk-of-the-provider"))
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
    let forwarded = Forwarding.request(sent, to: try provider())
    #expect(
      forwarded
        == (try fields([
          ("content-type", "application/json"), ("x-stainless-os", "Linux"),
          ("accept-encoding", "identity"), ("authorization", "Bearer sk-of-the-provider"),
        ])))
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
    let forwarded = Forwarding.request(sent, to: try provider(), readAsJSON: true)
    #expect(forwarded.count(of: .contentType) == 1)
    #expect(forwarded.first(.contentType) == (stays ? said : "application/json"))
    #expect(Forwarding.request(sent, to: try provider()).first(.contentType) == said)
  }

  @Test("The client gets the provider's fields, but none that speak in our name")
  func response() throws {
    let answered = try fields([
      ("content-type", "application/json"), ("x-request-id", "r"), ("Content-Length", "9"),
      ("Transfer-Encoding", "chunked"), ("x-catraca-cost-usd", "0"), ("x-ratelimit-limit", "5"),
    ])
    #expect(
      Forwarding.response(answered)
        == (try fields([
          ("content-type", "application/json"), ("x-request-id", "r"), ("x-ratelimit-limit", "5"),
        ])))
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
