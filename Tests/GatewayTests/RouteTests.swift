import Testing

@testable import Gateway

@Suite struct RouteTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let path: String
    let route: ProxyRoute
    var testDescription: String { path }
  }

  static let cases = [
    Case(path: "/healthz", route: .health),
    Case(path: "/api/usage/check", route: .own), Case(path: "/widget", route: .own),
    Case(path: "/widget/style.css", route: .own),
    Case(path: "/widgets/v1/models", route: .unknownProvider("widgets")),
    Case(path: "/v1/models", route: .provider(named: nil, endpoint: "/v1/models")),
    Case(
      path: "/openai/v1/chat/completions",
      route: .provider(named: "openai", endpoint: "/v1/chat/completions")),
    Case(
      path: "/groq/openai/v1/chat/completions",
      route: .provider(named: "groq", endpoint: "/v1/chat/completions")),
    Case(path: "/groq/v1/models", route: .provider(named: "groq", endpoint: "/v1/models")),
    Case(path: "/mistral/v1/models", route: .unknownProvider("mistral")),
    Case(path: "/v1", route: .unknown),
    Case(path: "/", route: .unknown),
    Case(path: "/openai/v2/models", route: .unknown),
    Case(path: "/openai", route: .unknown),
    Case(path: "/V1/models", route: .unknown), Case(path: "*", route: .unknown),
    Case(path: "/OpenAI/v1/models", route: .unknownProvider("OpenAI")),
    Case(
      path: "/openai/v1/models/ft%3Agpt-4o:acme",
      route: .provider(named: "openai", endpoint: "/v1/models/ft:gpt-4o:acme")),
    Case(
      path: "/v1/models/openai%2Fgpt-oss-20b",
      route: .provider(named: nil, endpoint: "/v1/models/openai/gpt-oss-20b")),
    Case(
      path: "/groq/openai/v1/models/openai%2fgpt-oss-20b",
      route: .provider(named: "groq", endpoint: "/v1/models/openai/gpt-oss-20b")),
    Case(path: "/v1/models/..%2Fchat%2Fcompletions", route: .ambiguous),
    Case(path: "/v1/models/%2Fx", route: .ambiguous),
    Case(path: "/v1/models/x%2F", route: .ambiguous),
    Case(path: "/v1%2Fmodels/x", route: .ambiguous),
    Case(path: "/v1/x%2F/v1/models/a", route: .ambiguous),
    Case(path: "/v1/files/a%2Fb", route: .ambiguous),
    Case(path: "//v1/models", route: .ambiguous), Case(path: "/healthz/", route: .ambiguous),
    Case(path: "/v1/x/../realtime/calls", route: .ambiguous),
    Case(path: "/openai/../v1/models", route: .ambiguous),
    Case(path: "/openai/v1/%2e%2e/v1/models", route: .ambiguous),
    Case(path: "/api/..%2fv1/models", route: .ambiguous),
    Case(path: "/widget/..;/v1/models", route: .ambiguous),
  ]

  @Test("A path says where a request goes", arguments: cases)
  func routes(_ example: Case) {
    #expect(ProxyRoute(path: example.path, providers: ["openai", "groq"]) == example.route)
  }
}
