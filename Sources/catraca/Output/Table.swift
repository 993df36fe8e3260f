/// Rows of the same columns.
struct Table: Hashable, Sendable {
  struct Column: Hashable, Sendable {
    /// The name in JSON and CSV; nil leaves the column out of them.
    let key: String?
    /// The heading for people; nil hides the column from them.
    let title: String?

    init(_ key: String?, _ title: String?) {
      self.key = key
      self.title = title
    }
  }

  let columns: [Column]
  /// Each as long as `columns`.
  private(set) var rows: [[Cell]] = []
  /// The text that people see if there are no rows.
  let emptyText: String

  init(_ columns: [Column], emptyText: String) {
    self.columns = columns
    self.emptyText = emptyText
  }

  mutating func append(_ row: [Cell]) {
    precondition(row.count == columns.count, "a row has a cell for each column")
    rows.append(row)
  }
}

/// A record with its fields.
struct Record: Hashable, Sendable {
  struct Field: Hashable, Sendable {
    let column: Table.Column
    let value: Cell
  }

  private(set) var fields: [Field]

  init() {
    fields = []
  }

  /// A row that could stand in a table of these columns.
  init(_ columns: [Table.Column], _ row: [Cell]) {
    precondition(row.count == columns.count, "a row has a cell for each column")
    fields = zip(columns, row).map { Field(column: $0, value: $1) }
  }

  mutating func add(_ key: String?, _ title: String?, _ value: Cell) {
    fields.append(Field(column: Table.Column(key, title), value: value))
  }

  /// The same as a table of one row.
  var table: Table {
    var table = Table(fields.map(\.column), emptyText: "")
    table.append(fields.map(\.value))
    return table
  }
}
