internal import Console

/// A table for people: aligned columns, numbers to the right, never wider than the terminal.
enum TableText {
  private static let gap = "  "
  /// Columns of text are not cut below this width.
  private static let leastWidth = 8

  static func render(_ table: Table, style: OutputStyle) -> String {
    guard !table.rows.isEmpty else { return "\(table.emptyText)\n" }
    let visible = table.columns.indices.filter { table.columns[$0].title != nil }
    let titles = visible.map { table.columns[$0].title ?? "" }
    let cells = table.rows.map { row in visible.map { row[$0].shown } }
    let isNumber = visible.map { column in
      table.rows.contains { $0[column].isNumber }
        && table.rows.allSatisfy { $0[column].isNumber || $0[column] == .none }
    }
    var widths = titles.indices.map { column in
      max(titles[column].count, cells.map { $0[column].count }.max() ?? 0)
    }
    fit(&widths, into: style.width, shrinking: isNumber.map { !$0 })

    func line(_ texts: [String]) -> String {
      let padded = texts.indices.map { column in
        pad(texts[column], to: widths[column], right: isNumber[column])
      }
      return padded.joined(separator: gap).trimmingTrailingSpaces
    }
    let lines = [style.bold(line(titles))] + cells.map(line)
    return lines.map { "\($0)\n" }.joined()
  }

  /// Narrows the widest column of text until the table fits.
  private static func fit(_ widths: inout [Int], into width: Int?, shrinking: [Bool]) {
    guard let width else { return }
    var excess = widths.reduce(0, +) + gap.count * (widths.count - 1) - width
    while excess > 0 {
      let candidates = widths.indices.filter { shrinking[$0] && widths[$0] > leastWidth }
      guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { return }
      widths[widest] -= 1
      excess -= 1
    }
  }

  private static func pad(_ text: String, to width: Int, right: Bool) -> String {
    if text.count > width { return "\(text.prefix(width - 1))…" }
    let space = String(repeating: " ", count: width - text.count)
    return right ? space + text : text + space
  }
}

/// A record for people: one field a line.
enum RecordText {
  static func render(_ record: Record) -> String {
    let shown = record.fields.compactMap { field in
      field.column.title.map { (title: $0, text: field.value.shown) }
    }
    let width = shown.map(\.title.count).max() ?? 0
    return shown.map { title, text in
      "\(title)\(String(repeating: " ", count: width - title.count))  \(text)\n"
    }.joined()
  }
}

extension String {
  fileprivate var trimmingTrailingSpaces: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}

/// A table as RFC 4180 has it, with a line of names first.
enum CSVText {
  static func render(_ table: Table) -> String {
    let kept = table.columns.indices.filter { table.columns[$0].key != nil }
    var writer = CSVWriter()
    writer.line(kept.map { table.columns[$0].key ?? "" })
    for row in table.rows { writer.line(kept.map { row[$0].plain }) }
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
