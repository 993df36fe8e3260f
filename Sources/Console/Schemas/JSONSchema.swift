internal import HTTP

/// The schema of a JSON value (JSON Schema 2020-12), as the OpenAPI document has it.
indirect enum JSONSchema: Sendable {
  /// Text that matches the pattern (ECMA 262), if there is one.
  case text(pattern: String? = nil, longest: Int? = nil)
  case choice([String])
  case integer(ClosedRange<Int64>)
  case number
  case boolean
  case null
  case list(of: JSONSchema, atMost: Int? = nil)
  /// These members and no others.
  case object(Fields)
  /// Members of any name.
  case map(of: JSONSchema)
  /// An object with any members.
  case freeObject
  /// A value of one of these schemas.
  case either([JSONSchema])
  /// A schema that the document defines once under this name.
  case named(String, JSONSchema)

  /// The same schema, or null.
  var orNull: JSONSchema { .either([self, .null]) }

  static func choice<Choice: CaseIterable & RawRepresentable<String>>(
    of _: Choice.Type
  ) -> JSONSchema {
    .choice(Choice.allCases.map(\.rawValue))
  }

  // MARK: In answers

  static let anyText = JSONSchema.text()
  static let count = JSONSchema.integer(0...Int64.max)
  /// Nine decimals.
  static let money = JSONSchema.text(pattern: #"^[0-9]+\.[0-9]{9}$"#)
  /// Nine decimals, with a minus sign for an amount below zero.
  static let signedMoney = JSONSchema.text(pattern: #"^-?[0-9]+\.[0-9]{9}$"#)
  /// RFC 3339.
  static let instant = JSONSchema.text(
    pattern: #"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\.[0-9]{3})?(Z|[+-][0-9]{2}:[0-9]{2})$"#)
  static let date = JSONSchema.text(pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$")
  static let source = JSONSchema.choice(["file", "api"])

  /// A page of a list.
  static func page(of entry: JSONSchema) -> JSONSchema {
    .object(["data": .list(of: entry), "has_more": .boolean, "next": .anyText.orNull])
  }

  // MARK: In bodies

  static let plainText = JSONSchema.text(
    pattern: #"^[^\u0000-\u001f\u007f]+$"#, longest: PlainText.longest)
  /// An id or name of a client, plan, key or budget.
  static let name = JSONSchema.text(pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$")
  /// Up to nine decimals.
  static let amount = JSONSchema.text(pattern: #"^[0-9]+(\.[0-9]{1,9})?$"#)
  static let currency = JSONSchema.text(pattern: "^[A-Z]{3}$")
  /// A percentage with up to two decimals.
  static let markup = JSONSchema.text(pattern: #"^-?[0-9]{1,4}(\.[0-9]{1,2})?%$"#)
  /// A date, or an instant of RFC 3339 with its offset.
  static let moment = JSONSchema.text(pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ].+)?$")
}

/// The members of an object, in their order.
struct Fields: Sendable, ExpressibleByDictionaryLiteral {
  struct Field: Sendable {
    let name: String
    var schema: JSONSchema
    var isRequired = true
  }

  private(set) var all: [Field]

  static let none: Fields = [:]

  /// Makes fields that are all required.
  init(dictionaryLiteral elements: (String, JSONSchema)...) {
    self.init(elements.map { (name: $0, schema: $1) })
  }

  /// Makes fields that are all required.
  init(_ fields: [(name: String, schema: JSONSchema)]) {
    all = fields.map { Field(name: $0.name, schema: $0.schema) }
  }

  var names: [String] { all.map(\.name) }

  /// The same fields, each optional.
  var optional: Fields {
    var fields = self
    for index in fields.all.indices { fields.all[index].isRequired = false }
    return fields
  }

  /// The same fields, each optional and clearable with null.
  var clearable: Fields {
    var fields = optional
    for index in fields.all.indices {
      fields.all[index].schema = fields.all[index].schema.orNull
    }
    return fields
  }

  static func + (left: Fields, right: Fields) -> Fields {
    var fields = left
    fields.all += right.all
    return fields
  }
}
