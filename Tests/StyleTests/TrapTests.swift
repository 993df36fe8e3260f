import Testing

@Suite struct TrapTests {
  private let list = TrapList(Repository.shared.text(of: "Tests/traps.md"))

  @Test("Every trap of the sources has a reason why no input reaches it")
  func reasons() {
    let traps = Set(Repository.shared.sources.flatMap(Trap.all))
    let missing = traps.subtracting(list.reasons.keys).sorted()
    #expect(traps.count > 50)
    #expect(missing.isEmpty, "make it an error, or add it to Tests/traps.md: \(missing)")
  }

  @Test("Every reason is that of a trap")
  func traps() {
    let traps = Set(Repository.shared.sources.flatMap(Trap.all))
    let stale = Set(list.reasons.keys).subtracting(traps).sorted()
    #expect(stale.isEmpty, "remove from Tests/traps.md: \(stale)")
    #expect(list.unreadable.isEmpty)
  }

  static let examples: [(String, String)] = [
    ("precondition(a > 0, \"a is \\(a)\")", "a is \\(a)"),
    ("precondition(\n  a > 0 && b,\n  \"a\")", "a"),
    ("fatalError(\"no \\(b(\"c\"))\")", "no \\(b(\"c\"))"),
    ("fatalError()", ""), ("guard a else { preconditionFailure(\"b\") }", "b"),
    ("  assert(a, \"b\")", "b"), ("unowned let a: B", "unowned let a: B"),
    ("  f { [unowned self] in g() }", "f { [unowned self] in g() }"),
    ("Dictionary(uniqueKeysWithValues: a)", "Dictionary(uniqueKeysWithValues: a)"),
  ]

  @Test("A trap is found with its message", arguments: examples)
  func found(code: String, text: String) {
    let file = SourceFile(path: "Sources/A/A.swift", text: "let before = 1\n\(code)\n\n\n\n")
    #expect(Trap.all(in: file) == [Trap(file: "A/A.swift", text: text)])
  }

  @Test(
    "What only looks like a trap isn't one",
    arguments: [
      "// precondition(a)", "let a = \"fatalError(b)\"", "loop.preconditionOnLoop()",
      "assertInvariants()", "unownedWork()",
    ])
  func innocent(code: String) {
    #expect(Trap.all(in: SourceFile(path: "Sources/A/A.swift", text: code)).isEmpty)
  }
}
