internal import JSON

extension JSONSchema {
  /// Writes the schema as JSON Schema. A named schema is written as a reference to the document's
  /// components.
  func write(to writer: inout JSONWriter) {
    switch self {
    case .named(let name, _):
      writer.object { $0.member("$ref", "#/components/schemas/\(name)") }
    default: writer.object { writeMembers(to: &$0) }
    }
  }

  private func writeMembers(to object: inout JSONWriter) {
    switch self {
    case .text(let pattern, let longest):
      object.member("type", "string")
      if let pattern { object.member("pattern", pattern) }
      if let longest { object.member("maxLength", Int64(longest)) }
    case .choice(let choices): object.member("enum", choices)
    case .integer(let range):
      object.member("type", "integer")
      object.member("minimum", range.lowerBound)
      if range.upperBound < Int64.max { object.member("maximum", range.upperBound) }
    case .number: object.member("type", "number")
    case .boolean: object.member("type", "boolean")
    case .null: object.member("type", "null")
    case .list(let item, let most):
      object.member("type", "array")
      object.member("items") { item.write(to: &$0) }
      if let most { object.member("maxItems", Int64(most)) }
    case .object(let fields): JSONSchema.write(fields, to: &object)
    case .map(let value):
      object.member("type", "object")
      object.member("additionalProperties") { value.write(to: &$0) }
    case .freeObject: object.member("type", "object")
    case .either(let schemas):
      object.member("anyOf") { list in
        list.array { list in for schema in schemas { schema.write(to: &list) } }
      }
    case .named(_, let schema): schema.writeMembers(to: &object)
    }
  }

  private static func write(_ fields: Fields, to object: inout JSONWriter) {
    object.member("type", "object")
    object.member("properties") { properties in
      properties.object { properties in
        for field in fields.all {
          properties.member(field.name) { field.schema.write(to: &$0) }
        }
      }
    }
    object.member("required", fields.all.filter(\.isRequired).map(\.name))
    object.member("additionalProperties", false)
  }

  /// Writes the definition of a named schema.
  func writeDefinition(to writer: inout JSONWriter) {
    writer.object { writeMembers(to: &$0) }
  }

  /// The named schemas in this schema and its parts.
  var namedSchemas: [(name: String, schema: JSONSchema)] {
    switch self {
    case .text, .choice, .integer, .number, .boolean, .null, .freeObject: []
    case .list(let item, _): item.namedSchemas
    case .map(let value): value.namedSchemas
    case .object(let fields): fields.all.flatMap(\.schema.namedSchemas)
    case .either(let schemas): schemas.flatMap(\.namedSchemas)
    case .named(let name, let schema): [(name, schema)] + schema.namedSchemas
    }
  }
}
