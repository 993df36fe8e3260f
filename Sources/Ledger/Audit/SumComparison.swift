/// Compares recorded sums with the sums over their rows, line by line.
struct SumComparison {
  /// The rule for a difference.
  enum Rule: String {
    /// The sums differ, or one side has no line.
    case equal = "<>"
    /// The recorded sum exceeds the rows' sum.
    case noMore = ">"
  }

  var check: AuditDifference.Check
  /// The beginning of the differences' subjects.
  var title: String
  /// The columns that identify a line.
  var keys: [String]
  var sums: [String]
  /// Selects `keys` and `sums` in this order. Several lines with the same key count together.
  var recorded: String
  var recomputed: String
  var rule = Rule.equal
  /// The condition on the keys of the lines to compare.
  var condition = "true"

  func differences(
    _ connection: DatabaseConnection, _ rows: AuditedRows? = nil
  ) throws(LedgerError) -> [AuditDifference] {
    let sql = sql(connection.dialect)
    let select = try connection.prepare(rows?.read(by: sql) ?? sql)
    var differences: [AuditDifference] = []
    try select.forEachRow {
      for (place, name) in sums.enumerated() {
        let recorded = select.integer(Int32(1 + 2 * place)) ?? 0
        let recomputed = select.integer(Int32(2 + 2 * place)) ?? 0
        guard rule == .equal ? recorded != recomputed : recorded > recomputed else { continue }
        differences.append(
          AuditDifference(
            check: check, subject: "\(title) \(select.text(0) ?? "") \(name)",
            recorded: "\(recorded)", recomputed: "\(recomputed)"))
      }
    }
    return differences
  }

  /// Selects the key's text and the recorded and recomputed value of each sum, for lines that
  /// differ.
  private func sql(_ dialect: Dialect) -> String {
    let key = keys.joined(separator: ", ")
    let columns = (keys + sums).joined(separator: ", ")
    let sides = sums.map {
      (dialect.total("\($0) * is_recorded"), dialect.total("\($0) * (1 - is_recorded)"))
    }
    let differ = sides.map { "\($0) \(rule.rawValue) \($1)" }.joined(separator: " OR ")
    return """
      WITH recorded (\(columns)) AS (\(recorded)), recomputed (\(columns)) AS (\(recomputed)),
        lines AS (SELECT *, 1 AS is_recorded FROM recorded UNION ALL SELECT *, 0 FROM recomputed)
      SELECT \(keys.joined(separator: " || ' ' || ")),
        \(sides.map { "\($0), \($1)" }.joined(separator: ", "))
      FROM lines WHERE \(condition) GROUP BY \(key) HAVING \(differ) ORDER BY \(key)
      """
  }
}
