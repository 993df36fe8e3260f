internal import Console

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
