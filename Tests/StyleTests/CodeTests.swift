import Testing

@Suite struct CodeTests {
  @Test("The sources keep the rule", arguments: CodeRule.all)
  func kept(_ rule: CodeRule) {
    let findings = Repository.shared.sources.flatMap { file in
      file.findings(rule.claim, at: rule.offences(file))
    }
    #expect(findings.isEmpty, "\(findings.report)")
  }

  @Test("Nothing is left for later")
  func marks() {
    // Spelt in halves, because this file is looked at too.
    let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"].map(Phrase.init)
    let files = Repository.shared.swiftFiles + Repository.shared.otherFiles
    let findings = files.flatMap { file in
      let offences = file.lines.indices.filter { index in
        marks.contains { $0.occurs(in: Array(file.lines[index].utf8)) }
      }
      return file.findings("is left for later", at: offences)
    }
    #expect(findings.isEmpty, "\(findings.report)")
  }

  static let offences: [(String, Int)] = [
    ("let x = try! f()", 0), ("let x = y as! Int", 0), ("let x = y!", 0), ("let x = y[0]!.z", 0),
    ("var x: Int!", 0), ("print(1)", 1), ("import Foundation", 2),
    ("internal import Foundation", 2), ("struct A: @unchecked Sendable {}", 3),
    ("nonisolated(unsafe) var a = 1", 3), ("final class HoldManager {}", 4),
    ("enum StringUtils {}", 4),
  ]

  @Test("An offence is found", arguments: offences)
  func found(code: String, rule: Int) {
    let file = SourceFile(path: "Sources/A/A.swift", text: "let before = 1\n\(code)\n")
    #expect(CodeRule.all.indices.filter { !CodeRule.all[$0].offences(file).isEmpty } == [rule])
  }

  @Test(
    "What only looks like an offence isn't one",
    arguments: [
      "let x = a != b", "if !a && !b {}", "// try! print(1)", "let x = \"print(1) y!\"",
      "digits.fingerprint(of: x)", "log.print(x)", "import FoundationEssentials",
      "let x = \"a\\(b)c!\"", "let x = #\"a\"b!\"#", "/* a! /* b! */ c! */",
      "// Sendable: it never changes.\nstruct A: @unchecked Sendable {}", "struct Managed {}",
    ])
  func innocent(code: String) {
    let file = SourceFile(path: "Sources/A/A.swift", text: code)
    #expect(CodeRule.all.allSatisfy { $0.offences(file).isEmpty })
  }

  @Test("Code within an interpolation is code")
  func interpolation() {
    let file = SourceFile(path: "A.swift", text: #"let x = "a!\(b("c!", d!))e!""#)
    #expect(file.code == [Array(#"let x = "  \(b("  ", d!))  ""#.utf8)])
  }

  @Test("A function's length is counted to its last brace", arguments: [(58, 0), (59, 1)])
  func functionLength(lines: Int, expected: Int) {
    let body = String(repeating: "    if a { b() }\n", count: lines)
    let text = "  func a(_ b: () -> Void = {})\n\n  func c(\n) {\n\(body.dropLast(17))}\n}\n"
    let file = SourceFile(path: "A.swift", text: text)
    #expect(FunctionLength.findings(in: file).count == expected)
  }
}
