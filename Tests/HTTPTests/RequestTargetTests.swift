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
    "A plain path is served as it is",
    arguments: [
      "/", "/healthz", "/v1/models/gpt-4.1", "/v1/models/ft:gpt-4o:acme::x1:ckpt-step-90",
      "/v1/models/@cf/meta/llama", "/.well-known/x", "/a~b_c-d", "/v1/files/file-1..2",
    ])
  func plain(path: String) throws {
    #expect(RequestTarget.plainPath(of: path) == path)
    #expect(try RequestTarget("\(path)?a=../b", method: .get).plainPath == path)
  }

  @Test("An escaped colon is read as the colon that it is")
  func escapedColon() {
    #expect(RequestTarget.plainPath(of: "/m/ft%3Agpt%3ax") == "/m/ft:gpt:x")
  }

  @Test(
    "A path that two servers could read differently isn't plain",
    arguments: [
      "", "*", "v1/models", "//", "//v1/models", "/v1//models", "/v1/models/", "/.", "/..", "/...",
      "/v1/files/../chat", "/a/./b", "/a/.", "/a/%2e%2E/b", "/a/.%2e", "/a%2f..%2Fb", "/a/..%5cb",
      "/a/..;/b", "/a/..;x=1/b", "/a;x", "/a/;/b", "/a%2fb", "/a%5Cb", "/a\\b", "/a%00", "/a%",
      "/a%0", "/%76%31/models", "/v1/%63hat", "/a%253Ab", "/a%%3A3A", "/a%3Bb", "/a%20b", "/a+b",
      "/a b", "/a%C0%AE%C0%AE/b", "/a%u002e", "/a|b", "/a{b}", "/a*", "/é", "/a\u{0}",
    ])
  func notPlain(path: String) {
    #expect(RequestTarget.plainPath(of: path) == nil)
  }
}
