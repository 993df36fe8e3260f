/// One property of a record, in one column or several.
struct RecordColumn<Record>: Sendable {
  typealias Property<Value> = any WritableKeyPath<Record, Value> & Sendable

  /// Writes the property's fields, one for each column. The names are those of the columns.
  let write: @Sendable (Record, inout any FieldWriter) -> Void
  let read: @Sendable (inout Record, ColumnReader) throws(UnreadableColumn) -> Void

  /// A property in columns of its own making.
  init(
    write: @escaping @Sendable (Record, inout any FieldWriter) -> Void,
    read: @escaping @Sendable (inout Record, ColumnReader) throws(UnreadableColumn) -> Void
  ) {
    self.write = write
    self.read = read
  }

  /// A property in one column, which isn't NULL.
  init<Value: ColumnValue>(_ name: StaticString, _ path: Property<Value>) {
    let text = name.description
    self.init { record, fields in
      Value.Stored.write(record[keyPath: path].stored, name, to: &fields)
    } read: { record, fields throws(UnreadableColumn) in
      record[keyPath: path] = try fields.value(text)
    }
  }

  /// A property in one column; nil is NULL.
  init<Value: ColumnValue>(_ name: StaticString, _ path: Property<Value?>) {
    let text = name.description
    self.init { record, fields in
      Value.Stored.write(record[keyPath: path]?.stored, name, to: &fields)
    } read: { record, fields throws(UnreadableColumn) in
      record[keyPath: path] = try fields.optionalValue(text)
    }
  }

  /// A number that the database assigns to each new row.
  static func assigned(_ name: String, _ path: Property<Int64>) -> RecordColumn {
    RecordColumn { _, _ in
    } read: { record, fields throws(UnreadableColumn) in
      record[keyPath: path] = try fields.value(name)
    }
  }

  /// A column with the same text in all rows of the records.
  static func constant(_ name: StaticString, _ value: String) -> RecordColumn {
    RecordColumn { _, fields in
      fields.write(name, value)
    } read: { _, _ in
    }
  }
}

/// A column whose value can't be understood.
struct UnreadableColumn: Error {
  let name: String
}

extension FieldReader {
  func value<Value: ColumnValue>(_ name: String) throws(UnreadableColumn) -> Value {
    guard let value = Value.Stored.read(name, from: self).flatMap(Value.value) else {
      throw UnreadableColumn(name: name)
    }
    return value
  }

  /// Returns nil for NULL. A value that can't be understood isn't nil: a key with such an expiry
  /// must not become a key without one.
  func optionalValue<Value: ColumnValue>(_ name: String) throws(UnreadableColumn) -> Value? {
    guard let stored = Value.Stored.read(name, from: self) else { return nil }
    guard let value = Value.value(stored) else { throw UnreadableColumn(name: name) }
    return value
  }
}
