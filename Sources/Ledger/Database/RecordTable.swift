internal import Budgets

/// A record of one row of a table. The row is read and written as `table` says.
protocol TableRecord: Sendable {
  static var table: RecordTable<Self> { get }
}

/// A table whose rows are records: its columns, each with the property that it holds.
///
/// Statements, their parameters and the reading of rows follow from the list of columns, so that a
/// column is named in one place beside the schema.
struct RecordTable<Record: Sendable>: Sendable {
  let name: String
  /// The columns by which a record is found, unique among the rows of `condition`.
  let key: [String]
  /// A condition for the rows that are records in force, for example `revoked_at IS NULL`.
  let condition: String?
  /// The columns by which records are sorted.
  let order: [String]
  /// The consequence of ignoring a row that can't be understood.
  let effect: UnreadableRow.Effect
  /// The column that names the client.
  let clientColumn: String
  let columns: [RecordColumn<Record>]
  /// The names of the columns that are written, in the order of their parameters.
  let written: [String]
  /// A record whose properties are replaced by those of a row.
  private let blank: Record
  /// Returns a record's name in errors, for example `client acme`, from the columns of its key.
  private let title: @Sendable (Record) -> String

  /// - Parameter order: As the property; nil for the key.
  init(
    _ name: String, key: [String], where condition: String? = nil, order: [String]? = nil,
    ifUnreadable effect: UnreadableRow.Effect, clientColumn: String = "client_id",
    blank: Record, title: @escaping @Sendable (Record) -> String,
    columns: [RecordColumn<Record>]
  ) {
    self.name = name
    self.key = key
    self.condition = condition
    self.order = order ?? key
    self.effect = effect
    self.clientColumn = clientColumn
    self.blank = blank
    self.title = title
    self.columns = columns
    var names: any FieldWriter = ColumnNames()
    for column in columns { column.write(blank, &names) }
    written = (names as? ColumnNames)?.names ?? []
  }

  /// Reads the current row of a statement.
  func read(_ fields: ColumnReader) throws(LedgerError) -> Record {
    var record = blank
    do throws(UnreadableColumn) {
      for column in columns { try column.read(&record, fields) }
    } catch {
      throw .unreadable(record: "\(error.name) of \(title(record))")
    }
    return record
  }

  /// Binds all written columns to the parameters of a statement, for its next run.
  func bind(_ record: Record, to statement: Statement) {
    var parameters: any FieldWriter = ParameterWriter(statement)
    for column in columns { column.write(record, &parameters) }
  }

  // MARK: Statements

  var insertion: String {
    let marks = Array(repeating: "?", count: written.count).joined(separator: ", ")
    return "INSERT INTO \(name) (\(written.joined(separator: ", "))) VALUES (\(marks))"
  }

  var replacement: String { Upsert(into: name, key: key, columns: written).sql }

  /// Changes all columns but those of the key. The number of a parameter is its column's place.
  var update: String {
    let places = written.enumerated().map { (name: $1, mark: "\($1) = ?\($0 + 1)") }
    let changes = places.filter { !key.contains($0.name) }.map(\.mark).joined(separator: ", ")
    let ofKey = places.filter { key.contains($0.name) }.map(\.mark).joined(separator: " AND ")
    return "UPDATE \(name) SET \(changes)\(rows(where: ofKey))"
  }

  /// Its parameters are the columns of the key, in their order.
  var deletion: String { "DELETE FROM \(name)\(rows(where: keyCondition))" }

  /// - Parameter filter: A further condition, with the parameters.
  func selection(where filter: String? = nil) -> String {
    "SELECT * FROM \(name)\(rows(where: filter)) ORDER BY \(order.joined(separator: ", "))"
  }

  var keyCondition: String { key.map { "\($0) = ?" }.joined(separator: " AND ") }

  private func rows(where filter: String?) -> String {
    let conditions = [filter, condition].compactMap(\.self)
    return conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
  }
}

/// Collects the names of the fields that are written.
private struct ColumnNames: FieldWriter {
  var names: [String] = []

  mutating func write(_ name: StaticString, _ value: Int64?) { names.append(name.description) }
  mutating func write(_ name: StaticString, _ value: String?) { names.append(name.description) }
}

extension DatabaseConnection {
  func insert<Record: TableRecord>(_ record: Record) throws(LedgerError) {
    try run(Record.table.insertion, with: record)
  }

  /// Inserts a record, or replaces the one that has the same key.
  func replace<Record: TableRecord>(_ record: Record) throws(LedgerError) {
    try run(Record.table.replacement, with: record)
  }

  /// Changes the record that has the same key.
  func update<Record: TableRecord>(_ record: Record) throws(LedgerError) {
    try run(Record.table.update, with: record)
  }

  private func run<Record: TableRecord>(
    _ sql: String, with record: Record
  ) throws(LedgerError) {
    let statement = try prepare(sql)
    Record.table.bind(record, to: statement)
    try statement.run()
  }

  /// Deletes the record with this key.
  func delete<Record: TableRecord, each Value: StatementParameter>(
    _ type: Record.Type, _ key: repeat each Value
  ) throws(LedgerError) {
    try prepare(Record.table.deletion).run(repeat each key)
  }

  /// Returns the record with this key; nil if there is none.
  func find<Record: TableRecord, each Value: StatementParameter>(
    _ type: Record.Type = Record.self, _ key: repeat each Value
  ) throws(LedgerError) -> Record? {
    let select = try prepare(Record.table.selection(where: Record.table.keyCondition))
    select.bind(repeat each key)
    return try select.firstRow(Record.table.read)
  }

  /// Returns the records in force that meet a condition, in their order.
  func all<Record: TableRecord, each Value: StatementParameter>(
    _ type: Record.Type = Record.self, where filter: String? = nil, _ values: repeat each Value
  ) throws(LedgerError) -> [Record] {
    let select = try prepare(Record.table.selection(where: filter))
    select.bind(repeat each values)
    return try read(select)
  }

  /// Returns the records of all rows of a statement. Rows that can't be understood are passed over
  /// if `unreadable` notes them.
  func read<Record: TableRecord>(_ select: Statement) throws(LedgerError) -> [Record] {
    try select.rows(
      passingOver: unreadable, Record.table.effect, client: Record.table.clientColumn,
      Record.table.read)
  }
}
