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
}

extension BodyFormat<String> {
  static let text = BodyFormat(.plainText) { body, name throws(APIError) in try body.text(name) }
  /// The ID or name of a client, plan, key or budget.
  static let name = BodyFormat(.name) { body, name throws(APIError) in try body.name(name) }

  /// The IANA name of a time zone.
  static let timeZone = BodyFormat(.plainText) { body, name throws(APIError) in
    guard let zone = try body.text(name) else { return nil }
    guard TimeZoneRules(identifier: zone) != nil else {
      throw .invalidValue(name, allowed: "an IANA zone such as America/Sao_Paulo, or UTC")
    }
    return zone
  }

  /// An object with texts, as JSON text of at most 4 KiB.
  static let metadata = BodyFormat(.map(of: .anyText)) { body, name throws(APIError) in
    try body.smallObject(name)
  }
}

extension BodyFormat<Bool> {
  static let boolean = BodyFormat(.boolean) { body, name throws(APIError) in
    try body.boolean(name)
  }
}

extension BodyFormat<Int64> {
  static func integer(_ range: ClosedRange<Int64>) -> BodyFormat {
    BodyFormat(.integer(range)) { body, name throws(APIError) in
      try body.integer(name, in: range)
    }
  }

  /// An amount of money, in nano-units.
  static let amount = BodyFormat(.amount) { body, name throws(APIError) in
    try body.amount(name)
  }
}

extension BodyFormat<Currency> {
  static let currency = BodyFormat(.currency) { body, name throws(APIError) in
    try body.currency(name)
  }
}

extension BodyFormat<Markup> {
  static let markup = BodyFormat(.markup) { body, name throws(APIError) in try body.markup(name) }
}

extension BodyFormat<Timestamp> {
  /// - Parameter zone: A date is the start of that day in this zone.
  static func moment(in zone: TimeZoneRules) -> BodyFormat {
    BodyFormat(.moment) { body, name throws(APIError) in try body.moment(name, in: zone) }
  }
}

extension BodyFormat<[String]> {
  /// Patterns of model names.
  static let modelPatterns = BodyFormat(.list(of: .anyText, atMost: ClientKey.mostModels)) {
    body, name throws(APIError) in
    try body.list(
      name, atMost: ClientKey.mostModels, allowed: "names of models, with * for any text"
    ) { $0.string.flatMap { ModelPattern($0) }?.description }
  }
}

extension BodyFormat where Value: CaseIterable & RawRepresentable<String> & SendableMetatype {
  static var choice: BodyFormat {
    BodyFormat(.choice(of: Value.self)) { body, name throws(APIError) in try body.choice(name) }
  }
}

extension BodyFormat {
  /// A list of the raw values, as long as there are choices.
  static func choices<Choice: CaseIterable & RawRepresentable<String> & SendableMetatype>()
    -> BodyFormat
  where Value == [Choice] {
    let most = Choice.allCases.count
    let allowed = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    return BodyFormat(.list(of: .choice(of: Choice.self), atMost: most)) {
      body, name throws(APIError) in
      try body.list(name, atMost: most, allowed: allowed) {
        $0.string.flatMap { Choice(rawValue: $0) }
      }
    }
  }
}
