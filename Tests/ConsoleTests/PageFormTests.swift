import Testing

@testable import Console

@Suite struct PageFormTests {
  private func form(_ text: String) throws -> PageForm { try PageForm(Array(text.utf8)) }

  @Test(
    "A field says its text without spaces around it, or nothing",
    arguments: [
      ("a=b", "b"), ("a=+b%20c+", "b c"), ("a=%C3%A7", "ç"), ("a=", nil), ("a=+", nil), ("", nil),
      ("b=1", nil), ("a", nil), ("a=1&a=2", "1"), ("a=x%26y%3D", "x&y="),
    ] as [(String, String?)])
  func fields(text: String, expected: String?) throws {
    #expect(try form(text)["a"] == expected)
  }

  @Test("All fields of a name are read")
  func lists() throws {
    #expect(try form("a=1&b=2&a=3&a=").all("a") == ["1", "3"])
  }

  @Test("A broken escape is refused", arguments: ["a=%4", "a=%zz", "a=%ff", "%=1"])
  func broken(text: String) {
    #expect(throws: APIError.self) { try form(text) }
  }
}
