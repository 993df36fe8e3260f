import HTTP
import Testing

@Suite struct RequestTargetTests {
  @Test(
    "A path and a query are split, and left as they were sent",
    arguments: [
      ("/", "/", nil),
      ("/v1/models", "/v1/models", nil),
      ("/a?b=c", "/a", "b=c"),
      ("/?", "/", ""),
      ("/a?b?c", "/a", "b?c"),
      ("/%2Fa%zz/../b", "/%2Fa%zz/../b", nil),
      ("//a//b", "//a//b", nil),
      ("/v1/responses/x?include[]=a&after={b|c}", "/v1/responses/x", "include[]=a&after={b|c}"),
    ] as [(String, String, String?)])
  func originForm(text: String, path: String, query: String?) throws {
    let target = try RequestTarget(text, method: .get)
    #expect(target.text == text)
    #expect(target.path == path)
    #expect(target.query == query)
    #expect(target.authority == nil)
  }

  @Test(
    "A whole URL counts as its path, and its host wins over the Host field",
    arguments: [
      ("http://b/v1/models", "/v1/models", nil),
      ("HTTPS://b:1/x?y", "/x", "y"),
      ("http://b", "/", nil),
      ("http://b?y", "/", "y"),
      ("http://b/?", "/", ""),
    ] as [(String, String, String?)])
  func absoluteForm(text: String, path: String, query: String?) throws {
    let head = try #require(onlyHead("GET \(text) HTTP/1.1\r\nHost: a\r\n\r\n"))
    #expect(head.target.text == text)
    #expect(head.path == path)
    #expect(head.query == query)
    #expect(head.host == (text.contains("b:1") ? "b:1" : "b"))
  }

  @Test("The asterisk is for OPTIONS alone")
  func asterisk() throws {
    #expect(try RequestTarget("*", method: .options).path == "*")
    #expect(throws: HTTPError.invalidTarget) { try RequestTarget("*", method: .get) }
    #expect(throws: HTTPError.invalidTarget) { try RequestTarget("*/", method: .options) }
  }

  @Test(
    "Other targets are refused",
    arguments: [
      "", "v1/models", "?a", "a:443", "ftp://a/", "http:/a", "http://", "http:///x",
      "http://u:p@a/", "http://a b/", "http://a:99999/", "/a#b", "http://a#b", "/a b", "/é",
      "/a\tb", "/a\u{0}", "/a\u{7F}", "/a\\b", "/a\"b", "/<a>", "/a\r\nB: c",
    ])
  func invalid(text: String) {
    #expect(throws: HTTPError.invalidTarget) { try RequestTarget(text, method: .get) }
  }

  @Test(
    "Dot segments are noticed, however they are written",
    arguments: [
      ("/v1/files/../chat", true), ("/.", true), ("/..", true), ("/a/./b", true),
      ("/a/%2e%2E/b", true), ("/a/.%2e", true), ("/a%2f..%2Fb", true),
      ("/", false), ("/v1/models/gpt-4.1", false), ("/a/...", false), ("/.well-known/x", false),
      ("/a?../b", false), ("/a%20b", false),
    ])
  func dotSegments(text: String, hasThem: Bool) throws {
    #expect(try RequestTarget(text, method: .get).hasDotSegments == hasThem)
  }
}
