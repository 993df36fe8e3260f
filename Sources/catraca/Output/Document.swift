internal import JSON

/// A report of several parts.
struct Document: Sendable {
  enum Section: Hashable, Sendable {
    case lines([String])
    case record(Record)
    case table(Table)
  }

  /// For people, one below the other with an empty line between them.
  let sections: [Section]
  /// The report in CSV.
  let table: Table
  /// The report in JSON.
  let json: @Sendable (inout JSONWriter) -> Void

  func text(_ style: OutputStyle) -> String {
    sections.map { section in
      switch section {
      case .lines(let lines): lines.map { "\($0)\n" }.joined()
      case .record(let record): RecordText.render(record)
      case .table(let table): TableText.render(table, style: style)
      }
    }.joined(separator: "\n")
  }
}
