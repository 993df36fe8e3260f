import Testing

@testable import Pages

@Suite struct HTMLTests {
  @Test(
    "Text never becomes markup",
    arguments: [
      ("<script>", "&lt;script&gt;"), ("a & b", "a &amp; b"), ("\"x\"", "&quot;x&quot;"),
      ("it's", "it&#39;s"), ("ação", "ação"), ("&amp;", "&amp;amp;"),
    ])
  func escapes(text: String, expected: String) {
    let html: HTML = #"<p title="\#(text)">\#(text)</p>"#
    #expect(html.text == "<p title=\"\(expected)\">\(expected)</p>")
  }

  @Test("Pieces of a page stand as they are, however many there are")
  func pieces() {
    let items = ["a", "<b>"].map { text -> HTML in "<li>\(text)</li>" }
    let missing: HTML? = nil
    let html: HTML = "<ul>\(items)</ul>\(missing)\(if: false, "no")\(if: true, "yes")\(7)"
    #expect(html.text == "<ul><li>a</li><li>&lt;b&gt;</li></ul>yes7")
  }

  @Test("A name leads nowhere but below the page that it is appended to")
  func addresses() {
    let address = PageAddress("/dashboard/clients").appending("../a?b#c", "x y")
      .with("q", "á&b=").with("none", nil).with("empty", "").with("n", "1")
    #expect(
      address.text == "/dashboard/clients/..%2Fa%3Fb%23c/x%20y?q=%C3%A1%26b%3D&n=1")
  }

  @Test("A query that came with a request keeps only bytes that may stand in a header field")
  func queries() {
    let address = PageAddress("/dashboard/").with(query: "a=1 2\u{7F}\r\n\0&b=ç~!")
    #expect(address.text == "/dashboard/?a=12&b=~!")
  }
}

extension HTML {
  var text: String { String(decoding: bytes, as: UTF8.self) }
}
