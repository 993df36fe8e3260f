internal import JSON
internal import Time

/// Where a record's fields are written to, in the order of its table's columns.
protocol FieldWriter {
  mutating func write(_ name: StaticString, _ value: Int64?)
  mutating func write(_ name: StaticString, _ value: String?)
}

/// Where a record's fields are read from, by name.
protocol FieldReader {
  /// Nil when the field is missing, NULL, or not a whole number.
  func integer(_ name: String) -> Int64?
  /// Nil when the field is missing, NULL, or not text.
  func text(_ name: String) -> String?
}

extension FieldReader {
  func requiredText(_ name: String, of record: String) throws(LedgerError) -> String {
    guard let value = text(name) else { throw .unreadable(record: "\(name) of \(record)") }
    return value
  }

  func required<Value>(
    _ name: String, of record: String, _ value: Value?
  ) throws(LedgerError) -> Value {
    guard let value else { throw .unreadable(record: "\(name) of \(record)") }
    return value
  }

  /// Returns nil if the field is missing, NULL, or not a time.
  func instant(_ name: String) -> Timestamp? {
    text(name).flatMap { Timestamp(rfc3339: $0) }
  }

  func requiredInstant(_ name: String, of record: String) throws(LedgerError) -> Timestamp {
    try required(name, of: record, instant(name))
  }
}

/// Writes fields into the parameters of a statement, by position: all of them, for its next run.
struct ParameterWriter: FieldWriter {
  private let backend: Statement.Backend
  private var nextIndex: Int32 = 1

  init(_ statement: Statement) {
    backend = statement.backend
    if case .sqlite(let statement) = backend { statement.takeBackTexts() }
  }

  mutating func write(_ name: StaticString, _ value: Int64?) {
    switch backend {
    case .sqlite(let statement): statement.bind(value, at: nextIndex)
    case .postgresql(let statement): statement.bind(value, at: nextIndex)
    }
    nextIndex += 1
  }

  mutating func write(_ name: StaticString, _ value: String?) {
    switch backend {
    case .sqlite(let statement): statement.lend(value, at: nextIndex)
    case .postgresql(let statement): statement.bind(value, at: nextIndex)
    }
    nextIndex += 1
  }
}

/// Reads the current row of a statement.
struct ColumnReader: FieldReader {
  let statement: Statement

  func integer(_ name: String) -> Int64? {
    statement.columnNames[name].flatMap { statement.integer($0) }
  }

  func text(_ name: String) -> String? {
    statement.columnNames[name].flatMap { statement.text($0) }
  }
}

/// Writes fields as members of the object that is being written; what is NULL or zero is left out.
///
/// Spooled entries are kept so.
struct JSONFields: FieldWriter {
  var writer: JSONWriter

  mutating func write(_ name: StaticString, _ value: Int64?) {
    guard let value, value != 0 else { return }
    writer.key(constant: name)
    writer.integer(value)
  }

  mutating func write(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    writer.key(constant: name)
    writer.string(value)
  }
}

extension JSONWriter {
  /// Writes an object whose members `write` writes as fields.
  mutating func record(_ write: (inout JSONFields) -> Void) {
    object { $0.fields(write) }
  }

  /// Has `write` write fields into the object that is being written.
  mutating func fields(_ write: (inout JSONFields) -> Void) {
    var fields = JSONFields(writer: self)
    // Let go of the buffer here, so that it is written in place and not copied.
    self = JSONWriter()
    write(&fields)
    self = fields.writer
  }
}
