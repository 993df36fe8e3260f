/// A table of the manual that is made from the code's own: settings, errors, events, metrics.
struct HelpTable: Sendable {
  let head: [String]
  /// A cell for each word of `head`.
  let rows: [[String]]

  enum Form: Sendable {
    /// A table in Markdown, for the catalog.
    case markdown
    /// The first cell of each row on a line of its own, and the others below it, for a terminal.
    case list
  }

  func text(_ form: Form) -> String {
    switch form {
    case .markdown: ([head, head.map { _ in "---" }] + rows).map(line).joined(separator: "\n")
    case .list: rows.map(entry).joined(separator: "\n\n")
    }
  }

  private func line(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |" }

  private func entry(_ cells: [String]) -> String {
    let width = head.map(\.count).max() ?? 0
    let details = zip(head, cells).dropFirst().filter { !$0.1.isEmpty }.map { name, cell in
      let padding = String(repeating: " ", count: width - name.count + 2)
      return HelpTable.folded("    \(name)\(padding)\(cell)", indent: width + 6)
    }
    return ([cells[0].filter { $0 != "`" }] + details).joined(separator: "\n")
  }

  /// Breaks a long line between words. The lines that follow are indented.
  private static func folded(_ text: String, indent: Int) -> String {
    var lines: [Substring] = []
    var rest = Substring(text)
    let margin = String(repeating: " ", count: indent)
    while rest.count > widest,
      let space = rest.prefix(widest).dropFirst(indent + 1).lastIndex(of: " ")
    {
      lines.append(rest[..<space])
      rest = margin + rest[rest.index(after: space)...]
    }
    return (lines + [rest]).joined(separator: "\n")
  }

  /// Columns of a line of the list.
  private static let widest = 96
}
