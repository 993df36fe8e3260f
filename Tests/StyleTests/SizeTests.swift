import Testing

@Suite struct SizeTests {
  private let files = Repository.shared.swiftFiles + Repository.shared.otherFiles

  static let mostLines = 400
  static let longestLine = 100

  @Test("There are files to look at")
  func found() {
    #expect(Repository.shared.sources.count > 100)
    #expect(Repository.shared.otherFiles.contains { $0.path.hasSuffix(".h") })
  }

  @Test("A file has 400 lines at most")
  func files400() {
    let findings = files.filter { $0.lines.count > Self.mostLines + 1 }.map {
      Finding(path: $0.path, line: $0.lines.count - 1, what: "allowed: \(Self.mostLines) lines")
    }
    #expect(findings.isEmpty, "\(findings.report)")
  }

  @Test("A line has 100 characters at most")
  func lines100() {
    let findings = files.flatMap { file in
      let long = file.lines.indices.filter { index in
        // Characters are dear to count; bytes are never fewer.
        file.lines[index].utf8.count > Self.longestLine
          && file.lines[index].count > Self.longestLine
      }
      return file.findings("allowed: \(Self.longestLine) characters", at: long)
    }
    #expect(findings.isEmpty, "\(findings.report)")
  }

  @Test("A function has 60 lines at most")
  func functions60() {
    let findings = Repository.shared.swiftFiles.flatMap(FunctionLength.findings)
    #expect(findings.isEmpty, "\(findings.report)")
  }
}
