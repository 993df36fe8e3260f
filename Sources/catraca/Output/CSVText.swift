/// A table as RFC 4180 has it, with a line of names first.
enum CSVText {
  static func render(_ table: Table) -> String {
    let kept = table.columns.indices.filter { table.columns[$0].key != nil }
    let names = kept.map { table.columns[$0].key ?? "" }
    let lines = [names] + table.rows.map { row in kept.map { row[$0].plain } }
    return lines.map { $0.map(field).joined(separator: ",") + "\r\n" }.joined()
  }

  /// Quoted where the text has what separates fields or lines.
  private static func field(_ text: String) -> String {
    let special = ",\"\r\n".utf8
    guard text.utf8.contains(where: { special.contains($0) }) else { return text }
    let doubled = text.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\"\"")
    return "\"\(doubled)\""
  }
}
