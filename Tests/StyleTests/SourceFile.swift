/// One file, as it is and as the compiler sees it.
struct SourceFile: Sendable {
  /// From the repository's own folder on.
  let path: String
  let lines: [String]
  /// The same lines, with spaces where comments and the text of strings are.
  let code: [[UInt8]]

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let blanked = path.hasSuffix(".swift") ? SwiftCode.blanked(Array(text.utf8)) : Array(text.utf8)
    code = blanked.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map(Array.init)
  }

  /// The module or folder of tests that the file belongs to.
  var module: String {
    path.split(separator: "/").dropFirst().first.map(String.init) ?? ""
  }

  /// A finding for each index of a line; `what` says the fault.
  func findings(_ what: String, at indices: some Sequence<Int>) -> [Finding] {
    indices.map { Finding(path: path, line: $0 + 1, what: what) }
  }
}

/// A place that breaks a rule.
struct Finding: Equatable, CustomStringConvertible {
  let path: String
  /// From 1.
  let line: Int
  let what: String

  var description: String { "\(path):\(line): \(what)" }
}

extension [Finding] {
  /// One a line, for a failed expectation.
  var report: String { "\n" + map(\.description).joined(separator: "\n") }
}
