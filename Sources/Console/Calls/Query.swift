internal import Configuration
internal import HTTP
internal import Time

/// What stands behind the `?`, each parameter once, and none that the call doesn't take.
struct Query: Sendable {
  private let values: [String: String]

  static let none = Query(values: [:])

  private init(values: [String: String]) {
    self.values = values
  }

  /// Throws `unknown_field` for a parameter that isn't among `allowed`, and `invalid_value` for one
  /// that stands there twice or can't be decoded.
  ///
  /// - Parameter isOfForm: whether a page's form made it, which sends each of its fields: an empty
  ///   one says nothing.
  init(
    _ text: String?, allowed: [QueryParameter], isOfForm: Bool = false
  ) throws(APIError) {
    var values: [String: String] = [:]
    for pair in (text ?? "").split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let rawName = parts[0]
      guard let name = PercentEncoding.decode(rawName, plusIsSpace: true) else {
        throw .invalidValue(String(rawName), allowed: "escapes of UTF-8")
      }
      guard allowed.contains(where: { $0.name == name }) else {
        throw .unknownField(name, allowed: allowed.map(\.name))
      }
      guard values[name] == nil else { throw .invalidValue(name, allowed: "one value") }
      guard let value = PercentEncoding.decode(parts.dropFirst().first ?? "", plusIsSpace: true)
      else { throw .invalidValue(name, allowed: "escapes of UTF-8") }
      if isOfForm && value.isEmpty { continue }
      values[name] = value
    }
    self.init(values: values)
  }

  /// Throws `invalid_value` for text that is empty, too long, or has control characters.
  func text(_ name: String) throws(APIError) -> String? {
    guard let value = values[name] else { return nil }
    guard PlainText.isValid(value) else { throw .invalidValue(name, allowed: PlainText.rule) }
    return value
  }

  /// As `text`, for what is made by this server and may be longer than what people write.
  func token(_ name: String) throws(APIError) -> String? {
    guard let value = values[name] else { return nil }
    guard value.utf8.count <= Query.longestToken else {
      throw .invalidValue(name, allowed: "what POST /api/widget-tokens answered")
    }
    return value
  }

  /// Where a page of a list begins whose order isn't that of a name or number; nil on the first.
  ///
  /// - Parameter read: makes it of the text that stood in `next`; nil where it is none.
  func cursor<Cursor>(_ read: (String) -> Cursor?) throws(APIError) -> Cursor? {
    guard let text = values["after"] else { return nil }
    guard text.utf8.count <= Query.longestToken, let cursor = read(text) else {
      throw .invalidValue("after", allowed: "`next` of the page before")
    }
    return cursor
  }

  private static let longestToken = 4096

  /// One of some choices; nil where there is no text.
  func choice<Choice: RawRepresentable<String>>(
    _ name: String, of choices: [Choice]
  ) throws(APIError) -> Choice? {
    guard let text = try text(name) else { return nil }
    guard let choice = choices.first(where: { $0.rawValue == text }) else {
      throw .invalidValue(name, allowed: choices.map(\.rawValue).joined(separator: ", "))
    }
    return choice
  }

  func integer(_ name: String, in range: ClosedRange<Int64>) throws(APIError) -> Int64? {
    guard let value = values[name] else { return nil }
    guard let number = Int64(value), "\(number)" == value, range.contains(number) else {
      throw .invalidValue(
        name, allowed: "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func boolean(_ name: String) throws(APIError) -> Bool? {
    guard let value = values[name] else { return nil }
    guard value == "true" || value == "false" else {
      throw .invalidValue(name, allowed: "true, false")
    }
    return value == "true"
  }

  func choice<Choice: CaseIterable & RawRepresentable<String>>(
    _ name: String, _: Choice.Type = Choice.self
  ) throws(APIError) -> Choice? {
    guard let value = values[name] else { return nil }
    guard let choice = Choice(rawValue: value) else {
      throw .invalidValue(name, allowed: Choice.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return choice
  }

  func moment(_ name: String, in zone: TimeZoneRules) throws(APIError) -> Timestamp? {
    guard let value = values[name] else { return nil }
    guard let moment = Moment(value) else {
      throw .invalidValue(name, allowed: "a date, or an instant of RFC 3339 with its offset")
    }
    return moment.timestamp(in: zone)
  }

  func has(_ name: String) -> Bool { values[name] != nil }

  // MARK: Pages

  /// How many entries a page has.
  func limit() throws(APIError) -> Int {
    Int(try integer("limit", in: 1...1000) ?? 100)
  }
}
