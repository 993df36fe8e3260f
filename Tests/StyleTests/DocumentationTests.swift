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

  @Test("A sentence names its actor, in the order of English", arguments: Prose.Folder.allCases)
  func wordOrder(_ folder: Prose.Folder) {
    let findings = folder.files.flatMap {
      WordOrder.findings(in: $0, hasTexts: folder == .sources)
    }
    #expect(findings.isEmpty, "\(findings.report)")
  }

  static let offences: [(String, String, Int)] = [
    ("A.swift", "// What is held counts.\nlet a = 1", 1),
    ("A.swift", "/// Reads.\n///\n/// - Throws: Whatever `b` throws.", 3),
    ("A.swift", "let a = 1  // Whoever has it", 1),
    ("A.swift", "/// A change of which\n/// nobody knows.", 1),
    ("A.swift", "let a = [\"b\", \"Who reads waits.\"]", 1),
    ("A.swift", "/// Such as `a`.", 1), ("A.swift", "// As many as\n// so many others.", 2),
    ("A.h", "/* A door. What it opens. */", 1), ("A.c", "/*\n * Whom it serves. */", 2),
    ("a.py", "\"\"\"A test.\n\nWhat it tests.\n\"\"\"", 3), ("a.py", "# Who asks", 1),
    ("a.py", "def a():\n    \"\"\"What it does.\"\"\"", 2), ("a.py", "b = 1  # What it is", 1),
    ("a.md", "# What\n\nText.\nWhat stands here is text.", 4), ("a.md", "- What is listed", 1),
    ("a.md", "| a | What is in a cell |", 1),
  ]

  @Test("A sentence that begins with a question word is found", arguments: offences)
  func found(path: String, text: String, line: Int) {
    let findings = WordOrder.findings(in: SourceFile(path: path, text: text), hasTexts: true)
    #expect(findings.map(\.line) == [line])
  }

  @Test(
    "A question, a heading, a name and code aren't found",
    arguments: [
      ("A.swift", "// What may it cost? A bound.\n// MARK: What it costs"),
      ("A.swift", "let What = a.Who // but not What"), ("a.py", "a = \"What is it\"\n# So it is."),
      ("a.md", "## What a client sees\n\n```\nWhat stands here is code.\n```"),
    ])
  func innocent(path: String, text: String) {
    let findings = WordOrder.findings(in: SourceFile(path: path, text: text), hasTexts: true)
    #expect(findings.isEmpty)
  }
}
