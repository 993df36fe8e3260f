internal import Budgets

/// A prepared statement. Parameters are numbered from 1, and columns from 0. After its last row, it
/// can be bound and run again.
final class Statement {
  enum Backend {
    case sqlite(SQLiteStatement)
    case postgresql(PostgresStatement)
  }

  let backend: Backend
  private(set) lazy var columnNames: [String: Int32] = namedColumns()

  init(_ backend: Backend) {
    self.backend = backend
  }

  func bind(_ value: Int64?, at index: Int32) {
    switch backend {
    case .sqlite(let statement): statement.bind(value, at: index)
    case .postgresql(let statement): statement.bind(value, at: index)
    }
  }

  func bind(_ value: String?, at index: Int32) {
    switch backend {
    case .sqlite(let statement): statement.bind(value, at: index)
    case .postgresql(let statement): statement.bind(value, at: index)
    }
  }

  /// Binds the parameters 1, 2, … to these values, in their order.
  ///
  /// Example: `select.bind("acme", 7)` binds `?1` to a text and `?2` to an integer. Statements that
  /// run for each request bind parameter by parameter, which needs no type information at run time.
  func bind<each Value: StatementParameter>(_ values: repeat each Value) {
    var index: Int32 = 0
    for value in repeat each values {
      index += 1
      value.bind(to: self, at: index)
    }
  }

  /// Binds text that is already UTF-8.
  func bind(utf8 text: [UInt8], at index: Int32) {
    switch backend {
    case .sqlite(let statement): statement.bind(utf8: text, at: index)
    case .postgresql(let statement): statement.bind(utf8: text, at: index)
    }
  }

  /// Goes to the next row. Returns false if there is none; the statement can be bound again then.
  func step() throws(LedgerError) -> Bool {
    switch backend {
    case .sqlite(let statement): try statement.step()
    case .postgresql(let statement): try statement.step()
    }
  }

  func reset() {
    switch backend {
    case .sqlite(let statement): statement.reset()
    case .postgresql(let statement): statement.reset()
    }
  }

  func integer(_ column: Int32) -> Int64? {
    switch backend {
    case .sqlite(let statement): statement.integer(column)
    case .postgresql(let statement): statement.integer(column)
    }
  }

  func double(_ column: Int32) -> Double? {
    switch backend {
    case .sqlite(let statement): statement.double(column)
    case .postgresql(let statement): statement.double(column)
    }
  }

  func text(_ column: Int32) -> String? {
    switch backend {
    case .sqlite(let statement): statement.text(column)
    case .postgresql(let statement): statement.text(column)
    }
  }

  private func namedColumns() -> [String: Int32] {
    switch backend {
    case .sqlite(let statement): statement.namedColumns()
    case .postgresql(let statement): statement.namedColumns()
    }
  }

  /// Runs a statement and ignores its rows. Within a transaction of PostgreSQL, a later statement
  /// or the commit may throw its failure.
  func run() throws(LedgerError) {
    switch backend {
    case .sqlite:
      defer { reset() }
      while try step() {}
    case .postgresql(let statement): try statement.run()
    }
  }

  /// Runs the statement with these values as its parameters 1, 2, ….
  func run<each Value: StatementParameter>(_ values: repeat each Value) throws(LedgerError) {
    bind(repeat each values)
    try run()
  }

  /// Runs the statement. Returns the number of rows that it inserted, changed or deleted.
  func changedRows() throws(LedgerError) -> Int {
    switch backend {
    case .sqlite(let statement): try statement.changedRows()
    case .postgresql(let statement): try statement.changedRows()
    }
  }

  /// Runs a statement that `DatabaseConnection.prepareInsert` prepared. Returns the `id` of the new
  /// row; nil if nothing was inserted because of an existing row.
  func insertedID() throws(LedgerError) -> Int64? {
    switch backend {
    case .sqlite(let statement): try statement.insertedID()
    case .postgresql: try firstInteger()
    }
  }

  /// Returns the first column of the first row; nil if there is no row.
  func firstInteger() throws(LedgerError) -> Int64? {
    defer { reset() }
    return try step() ? integer(0) : nil
  }

  /// Calls `body` for each row.
  func forEachRow(_ body: () throws(LedgerError) -> Void) throws(LedgerError) {
    defer { reset() }
    while try step() { try body() }
  }

  /// Returns the results of `read` for all rows.
  func rows<Value>(
    _ read: (ColumnReader) throws(LedgerError) -> Value
  ) throws(LedgerError) -> [Value] {
    let fields = ColumnReader(statement: self)
    var values: [Value] = []
    try forEachRow { () throws(LedgerError) in values.append(try read(fields)) }
    return values
  }

  /// Returns the results of `read` for all rows. If `unreadable` is given, rows that can't be
  /// understood are noted in it and left out.
  func rows<Value>(
    passingOver unreadable: UnreadableRows?, _ effect: UnreadableRow.Effect,
    client: String = "client_id", _ read: (ColumnReader) throws(LedgerError) -> Value
  ) throws(LedgerError) -> [Value] {
    let fields = ColumnReader(statement: self)
    var values: [Value] = []
    try forEachRow { () throws(LedgerError) in
      do throws(LedgerError) {
        values.append(try read(fields))
      } catch {
        guard case .unreadable(let record) = error, let unreadable else { throw error }
        let budget = fields.text("budget_id").flatMap { BudgetID(recorded: $0) }
        unreadable.note(
          UnreadableRow(
            clientID: fields.text(client) ?? budget?.client, record: record, effect: effect))
      }
    }
    return values
  }

  /// Returns the result of `read` for the first row; nil if there is no row.
  func firstRow<Value>(
    _ read: (ColumnReader) throws(LedgerError) -> Value
  ) throws(LedgerError) -> Value? {
    defer { reset() }
    return try step() ? read(ColumnReader(statement: self)) : nil
  }
}

/// A value that a statement takes as a parameter; nil is NULL.
protocol StatementParameter {
  func bind(to statement: Statement, at index: Int32)
}

extension Int64: StatementParameter {
  func bind(to statement: Statement, at index: Int32) { statement.bind(self, at: index) }
}

extension Int: StatementParameter {
  func bind(to statement: Statement, at index: Int32) { statement.bind(Int64(self), at: index) }
}

extension String: StatementParameter {
  func bind(to statement: Statement, at index: Int32) { statement.bind(self, at: index) }
}

extension Optional: StatementParameter where Wrapped: StatementParameter {
  func bind(to statement: Statement, at index: Int32) {
    guard let self else { return statement.bind(nil as Int64?, at: index) }
    self.bind(to: statement, at: index)
  }
}

/// A statement that inserts a row, or updates the row that has the same key.
struct Upsert {
  let table: String
  /// The columns of a unique key of the table.
  let key: [String]
  /// All columns, including those of the key, in the order of the parameters.
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
