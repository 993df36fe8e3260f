/// A field of a body: its name and its format.
///
/// ```swift
/// private static let tokens = BodyField("tokens", .integer(1...100))
/// …
/// let count = try body.read(tokens)
/// ```
struct BodyField<Value>: Sendable {
  let name: String
  let format: BodyFormat<Value>

  init(_ name: String, _ format: BodyFormat<Value>) {
    self.name = name
    self.format = format
  }
}

extension BodyField: BodyFieldDescription {
  var schema: JSONSchema { format.schema }
}

/// A `BodyField` with values of any type.
protocol BodyFieldDescription: Sendable {
  var name: String { get }
  var schema: JSONSchema { get }
}

extension Fields {
  /// - Parameters:
  ///   - required: The fields that a body must have.
  ///   - optional: The fields that a body may leave out, or clear with null.
  init(required: [any BodyFieldDescription] = [], optional: [any BodyFieldDescription] = []) {
    self =
      Fields(required.map { ($0.name, $0.schema) })
      + Fields(optional.map { ($0.name, $0.schema) }).clearable
  }
}

extension Body {
  /// The value of a field; nil if it is absent or null.
  func read<Value>(_ field: BodyField<Value>) throws(APIError) -> Value? {
    try field.format.read(self, field.name)
  }

  /// - Throws: `missing_field` if the field is absent or null.
  func require<Value>(_ field: BodyField<Value>) throws(APIError) -> Value {
    try require(field.name, try read(field))
  }
}
