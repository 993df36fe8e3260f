internal import JSON

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
