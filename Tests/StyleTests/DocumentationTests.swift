import Testing

@Suite struct DocumentationTests {
  @Test("The docstring of a public function that throws says which errors")
  func errors() {
    let findings = Repository.shared.sources.flatMap(ErrorDocumentation.findings)
    #expect(findings.isEmpty, "\(findings.report)")
  }

  @Test(
    "A function whose docstring doesn't say its errors is found",
    arguments: [
      "/// Reads.\npublic func a() throws {}",
      "public static func a(\n  b: Int\n) async throws(C) -> Int {}",
      "public init(_ b: Int) throws(C) {}",
      "/// - Throws: an error.\n\npublic func a<B>(_ b: B) rethrows where B: C {}",
      "public subscript(a: Int) throws -> Int {}",
    ])
  func missing(code: String) {
    #expect(ErrorDocumentation.findings(in: SourceFile(path: "A.swift", text: code)).count == 1)
  }

  @Test(
    "A function that doesn't throw, isn't public or says its errors is none",
    arguments: [
      "/// Reads.\n///\n/// - Throws: `C`.\n@inlinable\npublic func a(\n  b: Int\n) throws {}",
      "func a() throws {}", "public func a() -> Int {}", "public func a(b: () throws -> Int) {}",
      "public func a() -> () throws -> Int {}", "public var a: Int\n\nfunc b() throws {}",
    ])
  func documented(code: String) {
    #expect(ErrorDocumentation.findings(in: SourceFile(path: "A.swift", text: code)).isEmpty)
  }
}
