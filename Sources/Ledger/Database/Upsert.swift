/// A statement that inserts a row, or puts its values into the one that has the same key.
struct Upsert {
  let table: String
  /// The columns of a unique key of the table.
  let key: [String]
  /// All columns that are given, those of the key too, in the order of the parameters.
  let columns: [String]

  init(into table: String, key: [String], columns: [String]) {
    self.table = table
    self.key = key
    self.columns = columns
  }

  var sql: String {
    let marks = Array(repeating: "?", count: columns.count)
    let changes = columns.filter { !key.contains($0) }.map { "\($0) = excluded.\($0)" }
    return """
      INSERT INTO \(table) (\(columns.joined(separator: ", ")))
      VALUES (\(marks.joined(separator: ", ")))
      ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET \(changes.joined(separator: ", "))
      """
  }
}
