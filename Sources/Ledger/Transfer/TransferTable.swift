/// One table to copy: its columns, in the order of its key.
struct TransferTable {
  struct Column {
    var name: String
    var isInteger: Bool
  }

  let name: String
  /// The columns, without those that the database generates from others.
  let columns: [Column]
  let key: [Column]

  /// The tables that belong to one database alone: its schema, the servers that share it, and
  /// tables that only a server's own file needs.
  private static let left = [
    "schema_migrations", "replicas", "budget_leases", "budget_reserves", "credit_leases",
    "spools", "in_flight", "usage_totals_reach", "conversation_windows", "conversation_permits",
  ]

  /// Returns the tables of a ledger in a file, by name.
  static func all(of source: DatabaseConnection) throws(LedgerError) -> [TransferTable] {
    let select = try source.prepare(selectTables)
    let names = try select.rows { fields throws(LedgerError) in
      try fields.requiredText("name", of: "a table")
    }
    var tables: [TransferTable] = []
    for name in names where !left.contains(name) {
      tables.append(try TransferTable(name, source))
    }
    return tables
  }

  private init(_ name: String, _ source: DatabaseConnection) throws(LedgerError) {
    let select = try source.prepare(TransferTable.selectColumns)
    select.bind(name, at: 1)
    var columns: [Column] = []
    var key: [(place: Int64, column: Column)] = []
    try select.forEachRow { () throws(LedgerError) in
      let fields = ColumnReader(statement: select)
      let column = Column(
        name: try fields.requiredText("name", of: "a column"),
        isInteger: fields.text("type") == "INTEGER")
      columns.append(column)
      if let place = fields.integer("pk"), place > 0 { key.append((place, column)) }
    }
    self.name = name
    self.columns = columns
    self.key = key.sorted { $0.place < $1.place }.map(\.column)
  }

  private static let selectTables = """
    SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name
    """
  private static let selectColumns =
    "SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid"

  // MARK: Comparing

  /// Whether the target's rows are the beginning of the source's rows.
  func isBeginning(in target: DatabaseConnection, of source: DatabaseConnection) throws(LedgerError)
    -> Bool
  {
    guard let last = try lastKey(in: target) else { return true }
    return try sums(in: target, upTo: nil) == sums(in: source, upTo: last)
  }

  /// Whether both have the same rows.
  func isWhole(in target: DatabaseConnection, of source: DatabaseConnection) throws(LedgerError)
    -> Bool
  {
    try sums(in: target, upTo: nil) == sums(in: source, upTo: nil)
  }

  private var keyNames: String { key.map(\.name).joined(separator: ", ") }
  private var keyMarks: String { key.map { _ in "?" }.joined(separator: ", ") }

  /// Returns the values of the largest key; nil if there are no rows.
  private func lastKey(in connection: DatabaseConnection) throws(LedgerError) -> [KeyValue]? {
    let order = key.map { "\($0.name) DESC" }.joined(separator: ", ")
    let select = try connection.prepare(
      "SELECT \(keyNames) FROM \(name) ORDER BY \(order) LIMIT 1")
    return try select.firstRow { fields in
      key.map { column in
        column.isInteger ? .integer(fields.integer(column.name)) : .text(fields.text(column.name))
      }
    }
  }

  private enum KeyValue {
    case integer(Int64?)
    case text(String?)
  }

  private func bind(_ values: [KeyValue], to statement: Statement) {
    for (place, value) in values.enumerated() {
      switch value {
      case .integer(let number): statement.bind(number, at: Int32(place + 1))
      case .text(let text): statement.bind(text, at: Int32(place + 1))
      }
    }
  }

  /// Returns the number of rows, and for each column the number of values and their sum. Integers
  /// are summed modulo a prime, so that no sum overflows; texts are summed by their lengths.
  private func sums(
    in connection: DatabaseConnection, upTo last: [KeyValue]?
  ) throws(LedgerError) -> [Int64] {
    let terms = columns.flatMap { column in
      [
        "count(\(column.name))",
        column.isInteger
          ? "coalesce(sum(\(column.name) % \(TransferTable.modulus)), 0)"
          : "coalesce(sum(length(\(column.name))), 0)",
      ]
    }
    let condition = last == nil ? "" : " WHERE (\(keyNames)) <= (\(keyMarks))"
    let sql = "SELECT count(*), \(terms.joined(separator: ", ")) FROM \(name)\(condition)"
    return try connection.snapshot { () throws(LedgerError) in
      try connection.allowLongStatements()
      let select = try connection.prepare(sql)
      if let last { bind(last, to: select) }
      defer { select.reset() }
      guard try select.step() else { return [] }
      return (0...terms.count).map { select.integer(Int32($0)) ?? 0 }
    }
  }

  private static let modulus = 1_000_000_007

  // MARK: Copying

  /// Copies the rows after the target's last one, in transactions of `batch` rows.
  func copy(
    from source: DatabaseConnection, to target: DatabaseConnection, batch: Int,
    whenCopied: () -> Void
  ) throws(LedgerError) {
    let last = try lastKey(in: target)
    let condition = last == nil ? "" : " WHERE (\(keyNames)) > (\(keyMarks))"
    let select = try source.prepare(
      "SELECT \(line) FROM \(name)\(condition) ORDER BY \(keyNames)")
    if let last { bind(last, to: select) }
    defer { select.reset() }
    var isAtEnd = false
    while !isAtEnd {
      var rows = 0
      try target.transaction { () throws(LedgerError) in
        try target.copy(into: name, columns.map(\.name)) { () throws(LedgerError) in
          guard rows < batch else { return nil }
          isAtEnd = try !select.step()
          if isAtEnd { return nil }
          rows += 1
          return select.text(0)
        }
      }
      for _ in 0..<rows { whenCopied() }
    }
  }

  /// A row in the format of COPY: columns separated by tabs, with special characters escaped.
  private var line: String {
    columns.map { column in
      guard !column.isInteger else { return #"coalesce(CAST(\#(column.name) AS TEXT), '\N')"# }
      var text = column.name
      for (character, escaped) in TransferTable.escapes {
        text = "replace(\(text), char(\(character)), '\(escaped)')"
      }
      return #"coalesce(\#(text), '\N')"#
    }.joined(separator: " || char(9) || ")
  }

  /// The backslash comes first, because the other escapes contain one.
  private static let escapes = [(92, #"\\"#), (10, #"\n"#), (13, #"\r"#), (9, #"\t"#)]

  /// Sets the number of the target's next row to follow the largest one.
  func continueNumbers(in target: DatabaseConnection) throws(LedgerError) {
    guard key.map(\.name) == ["id"], key.first?.isInteger == true else { return }
    try target.prepare(
      """
      SELECT setval(pg_get_serial_sequence('\(name)', 'id'), max(id))
      FROM \(name) HAVING max(id) IS NOT NULL
      """
    ).run()
  }
}
