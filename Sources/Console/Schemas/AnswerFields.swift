internal import JSON

/// The fields of an object that answers show: one table, from which come the object's schema in the
/// OpenAPI document and its JSON.
///
/// ```swift
/// static let fields = ([.field("name", \.name), .field("created_at", \.createdAt)]
///   as AnswerFields<Plan>).named("Plan")
/// ```
struct AnswerFields<Row>: Sendable, ExpressibleByArrayLiteral {
  private let all: [AnswerField<Row>]
  /// The object's name in the OpenAPI document; nil if the document repeats the object in place.
  private let name: String?

  init(arrayLiteral fields: AnswerField<Row>...) {
    self.init(fields)
  }

  init(_ fields: [AnswerField<Row>], name: String? = nil) {
    all = fields
    self.name = name
  }

  /// The same fields as a schema that the document defines once under this name.
  func named(_ name: String) -> AnswerFields { AnswerFields(all, name: name) }

  /// The same fields without one, for objects that have a field of this name already.
  func without(_ name: String) -> AnswerFields { AnswerFields(all.filter { $0.name != name }) }

  static func + (left: AnswerFields, right: AnswerFields) -> AnswerFields {
    AnswerFields(left.all + right.all)
  }

  // MARK: The schema

  /// A field that some rows don't show is optional.
  var schemas: Fields {
    all.reduce(.none) { fields, field in
      let one = Fields([(name: field.name, schema: field.schema)])
      return fields + (field.isShown == nil ? one : one.optional)
    }
  }

  var names: [String] { all.map(\.name) }

  var schema: JSONSchema {
    name.map { .named($0, .object(schemas)) } ?? .object(schemas)
  }

  // MARK: The JSON

  func write(_ row: Row, to writer: inout JSONWriter) {
    writer.object { writeMembers(of: row, to: &$0) }
  }

  func write(_ rows: some Sequence<Row>, to writer: inout JSONWriter) {
    writer.array { list in for row in rows { write(row, to: &list) } }
  }

  /// Writes the members without the braces, for objects that have other members too.
  func writeMembers(of row: Row, to object: inout JSONWriter) {
    for field in all where field.isShown?(row) ?? true {
      object.key(field.name)
      field.write(row, &object)
    }
  }
}

extension AnswerFields {
  /// Writes a member for each of `names`, in their order: this table's field of that name, or null
  /// if it has none.
  func writeMembers(of row: Row, asIn names: [String], to object: inout JSONWriter) {
    for name in names {
      guard let field = all.first(where: { $0.name == name }) else {
        object.member(name, optional: nil)
        continue
      }
      guard field.isShown?(row) ?? true else { continue }
      object.key(name)
      field.write(row, &object)
    }
  }
}

/// A field of an object that answers show: its name, its schema, and its value in a row.
struct AnswerField<Row>: Sendable {
  let name: String
  let schema: JSONSchema
  /// Whether a row shows the field; nil if every row does.
  var isShown: (@Sendable (Row) -> Bool)?
  /// Writes the value.
  let write: @Sendable (Row, inout JSONWriter) -> Void

  /// - Parameter schema: The schema, if it isn't the usual one of such values.
  static func field<Value: AnswerValue>(
    _ name: String, as schema: JSONSchema = Value.answerSchema,
    _ value: @escaping @Sendable (Row) -> Value
  ) -> AnswerField {
    AnswerField(name: name, schema: schema) { row, writer in
      value(row).writeAnswer(to: &writer)
    }
  }

  static func choice<Choice: CaseIterable & RawRepresentable<String> & SendableMetatype>(
    _ name: String, _ value: @escaping @Sendable (Row) -> Choice
  ) -> AnswerField {
    field(name, as: .choice(of: Choice.self)) { value($0).rawValue }
  }

  /// `source`: whether `clients.yaml` declares the row, or a call made it.
  static func source(_ isDeclared: @escaping @Sendable (Row) -> Bool) -> AnswerField {
    field("source", as: .source) { isDeclared($0) ? "file" : "api" }
  }

  static func list<Part>(
    _ name: String, of fields: AnswerFields<Part>, _ parts: @escaping @Sendable (Row) -> [Part]
  ) -> AnswerField {
    AnswerField(name: name, schema: .list(of: fields.schema)) { row, writer in
      fields.write(parts(row), to: &writer)
    }
  }

  static func object<Part>(
    _ name: String, _ fields: AnswerFields<Part>, _ part: @escaping @Sendable (Row) -> Part
  ) -> AnswerField {
    AnswerField(name: name, schema: fields.schema) { row, writer in
      fields.write(part(row), to: &writer)
    }
  }

  /// An object, or null.
  static func optionalObject<Part>(
    _ name: String, _ fields: AnswerFields<Part>, _ part: @escaping @Sendable (Row) -> Part?
  ) -> AnswerField {
    AnswerField(name: name, schema: fields.schema.orNull) { row, writer in
      if let part = part(row) { fields.write(part, to: &writer) } else { writer.null() }
    }
  }

  /// The same field, only in the rows that `isShown` names.
  func shown(_ isShown: @escaping @Sendable (Row) -> Bool) -> AnswerField {
    var field = self
    field.isShown = isShown
    return field
  }
}

extension Answer {
  /// Makes an answer with one object.
  init<Row>(status: Int = 200, _ fields: AnswerFields<Row>, _ row: Row) {
    self.init(status: status) { fields.write(row, to: &$0) }
  }

  /// Makes an answer under `/api/token-billing/` with one object.
  static func billing<Row>(_ fields: AnswerFields<Row>, _ row: Row) -> Answer {
    .billing { fields.write(row, to: &$0) }
  }
}
