internal import Objects

extension LedgerReader {
  /// Returns the objects whose rows can't be read. Requests that name one of them can't be
  /// admitted.
  func providerObjectDifferences() throws(LedgerError) -> [AuditDifference] {
    let kinds = ObjectKind.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    let instant = "LIKE '____-__-__T__:__:__.___Z'"
    let select = try connection.prepare(
      """
      SELECT * FROM provider_objects
      WHERE kind NOT IN (\(kinds)) OR created_at NOT \(instant) OR deleted_at NOT \(instant)
      ORDER BY object_id, provider
      """)
    var differences: [AuditDifference] = []
    try select.forEachRow { () throws(LedgerError) in
      let fields = ColumnReader(statement: select)
      do throws(LedgerError) {
        _ = try ProviderObject(from: fields)
      } catch {
        differences.append(
          AuditDifference(
            check: .unreadableRow, subject: fields.text("object_id") ?? "?",
            recorded: error.description, recomputed: ""))
      }
    }
    return differences
  }
}
