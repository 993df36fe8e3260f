internal import Configuration
internal import JSON
internal import Money
internal import Time

/// The format of a body's field: its schema, and the reading of a value with the same bounds.
struct BodyFormat<Value>: Sendable {
  let schema: JSONSchema
  /// Reads the field of this name; nil if it is absent or null.
  let read: @Sendable (Body, String) throws(APIError) -> Value?

  init(
    _ schema: JSONSchema, _ read: @escaping @Sendable (Body, String) throws(APIError) -> Value?
  ) {
    self.schema = schema
    self.read = read
  }

  /// - Parameters:
  ///   - allowed: The allowed values, for the message after `allowed: `.
  ///   - parse: Returns nil for a value that isn't valid.
  init(
    _ schema: JSONSchema, allowed: String, _ parse: @escaping @Sendable (JSONValue) -> Value?
  ) {
    self.init(schema) { body, name throws(APIError) in
      guard let value = body.value(name) else { return nil }
      guard let parsed = parse(value) else { throw .invalidValue(name, allowed: allowed) }
      return parsed
    }
  }

  /// A text in the format that other doors share.
  init(_ schema: JSONSchema, _ format: TextFormat<Value>) {
    self.init(schema, allowed: format.allowed) { $0.string.flatMap(format.parse) }
  }
}

extension BodyFormat<String> {
  static let text = BodyFormat(.plainText, .plain)
  /// The ID or name of a client, plan, key or budget.
  static let name = BodyFormat(.name, .name)
  /// The IANA name of a time zone.
  static let timeZone = BodyFormat(.plainText, allowed: TextFormat.timeZone.allowed) { value in
    value.string.flatMap { TextFormat.timeZone.parse($0)?.identifier }
  }

  private static let largestObject = 4096

  /// An object, as JSON text of at most 4 KiB.
  static func smallObject(_ schema: JSONSchema) -> BodyFormat {
    BodyFormat(schema, allowed: "an object, at most 4 KiB") { value in
      var writer = JSONWriter()
      writer.value(value)
      guard value.kind == .object, value.repeatedKey == nil, writer.bytes.count <= largestObject
      else { return nil }
      return String(decoding: writer.bytes, as: UTF8.self)
    }
  }
}

extension BodyFormat<Bool> {
  static let boolean = BodyFormat(.boolean, allowed: "true, false") { $0.boolean }
}

extension BodyFormat<Int64> {
  static func integer(_ range: ClosedRange<Int64>) -> BodyFormat {
    BodyFormat(.integer(range), allowed: TextFormat.integer(range).allowed) { value in
      value.integer.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// An amount of money in nano-units, as a decimal in text: `"50.00"`. A JSON number is not valid.
  static let amount = BodyFormat(.amount, .amount)
}

extension BodyFormat<Currency> {
  static let currency = BodyFormat(.currency, .currency)
}

extension BodyFormat<Markup> {
  static let markup = BodyFormat(.markup, .markup)
}

extension BodyFormat<Timestamp> {
  /// - Parameter zone: A date is the start of that day in this zone.
  static func moment(in zone: TimeZoneRules) -> BodyFormat {
    BodyFormat(.moment, allowed: TextFormat.moment.allowed) { value in
      value.string.flatMap { TextFormat.moment.parse($0)?.timestamp(in: zone) }
    }
  }
}

extension BodyFormat where Value: CaseIterable & RawRepresentable<String> & SendableMetatype {
  static var choice: BodyFormat {
    let allowed = Value.allCases.map(\.rawValue).joined(separator: ", ")
    return BodyFormat(.choice(of: Value.self), allowed: allowed) { value in
      value.string.flatMap { Value(rawValue: $0) }
    }
  }
}

extension BodyFormat<[String]> {
  /// Patterns of model names.
  static let modelPatterns = BodyFormat.list(
    of: .anyText, atMost: ClientKey.mostModels, allowed: TextFormat.modelPattern.allowed
  ) { $0.string.flatMap { TextFormat.modelPattern.parse($0)?.description } }
}

extension BodyFormat {
  /// - Parameter read: Returns nil for an item that isn't valid.
  static func list<Item>(
    of item: JSONSchema, atMost limit: Int, allowed: String,
    _ read: @escaping @Sendable (JSONValue) -> Item?
  ) -> BodyFormat where Value == [Item] {
    BodyFormat(.list(of: item, atMost: limit), allowed: allowed) { value in
      let elements = Array(value.elements)
      let items = elements.compactMap(read)
      return value.kind == .array && items.count == elements.count && items.count <= limit
        ? items : nil
    }
  }

  /// A list of the raw values, no longer than there are choices.
  static func choices<Choice: CaseIterable & RawRepresentable<String> & SendableMetatype>()
    -> BodyFormat where Value == [Choice]
  {
    list(
      of: .choice(of: Choice.self), atMost: Choice.allCases.count,
      allowed: Choice.allCases.map(\.rawValue).joined(separator: ", ")
    ) { $0.string.flatMap { Choice(rawValue: $0) } }
  }
}
