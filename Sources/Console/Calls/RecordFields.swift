/// The fields of a record that calls set when they create it and when they change it.
///
/// From this one table come the schema of both bodies, and their reading. A field that a body has
/// changes the record, null sets the record's default, and an absent field changes nothing.
struct RecordFields<Record>: Sendable, ExpressibleByArrayLiteral {
  private let all: [RecordField<Record>]

  init(arrayLiteral fields: RecordField<Record>...) {
    all = fields
  }

  /// All fields, optional and clearable.
  var schemas: Fields {
    Fields(all.map { (name: $0.name, schema: $0.schema) }).clearable
  }

  /// Checks all fields of `body` and returns the change that the body asks for.
  ///
  /// - Parameter defaults: A record with the values of absent fields and of null.
  func change(by body: Body, defaults: Record) throws(APIError) -> RecordChange<Record> {
    var values = defaults
    for field in all { try field.read(body, &values) }
    return RecordChange(values: values, fields: all.filter { body.has($0.name) })
  }
}

/// A field of a record: its name in bodies, its schema, and its place in the record.
struct RecordField<Record>: Sendable {
  let name: String
  let schema: JSONSchema
  /// Sets the record's value, unless the body leaves the field out or clears it.
  let read: @Sendable (Body, inout Record) throws(APIError) -> Void
  /// Copies the value from the first record to the second.
  fileprivate let copy: @Sendable (Record, inout Record) -> Void

  /// A value that every record has.
  static func field<Value>(
    _ name: String, _ format: BodyFormat<Value>,
    _ path: any WritableKeyPath<Record, Value> & Sendable
  ) -> RecordField {
    field(name, format, path) { $0 }
  }

  /// A value that a record may lack.
  static func optional<Value>(
    _ name: String, _ format: BodyFormat<Value>,
    _ path: any WritableKeyPath<Record, Value?> & Sendable
  ) -> RecordField {
    field(name, format, path) { $0 }
  }

  private static func field<Value, Place>(
    _ name: String, _ format: BodyFormat<Value>,
    _ path: any WritableKeyPath<Record, Place> & Sendable,
    _ placed: @escaping @Sendable (Value) -> Place
  ) -> RecordField {
    RecordField(
      name: name, schema: format.schema,
      read: { body, record throws(APIError) in
        if let value = try format.read(body, name) { record[keyPath: path] = placed(value) }
      },
      copy: { $1[keyPath: path] = $0[keyPath: path] })
  }

  /// A field that isn't part of the record: the call itself reads it.
  static func separate(_ field: some BodyFieldDescription) -> RecordField {
    RecordField(name: field.name, schema: field.schema, read: { _, _ in }, copy: { _, _ in })
  }
}

/// The change of a record that a body asks for.
struct RecordChange<Record> {
  /// The defaults with all values of the body.
  let values: Record
  fileprivate let fields: [RecordField<Record>]

  /// Sets the fields that the body has.
  func apply(to record: inout Record) {
    for field in fields { field.copy(values, &record) }
  }
}
