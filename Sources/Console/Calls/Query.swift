internal import Configuration
internal import HTTP
internal import Time

/// The parameters of a query. Each occurs once, and all are allowed by the call.
struct Query: Sendable {
  private let values: [String: String]

  static let none = Query(values: [:])

  private init(values: [String: String]) {
    self.values = values
  }

  /// Parses a query.
  ///
  /// - Parameter isOfForm: Whether a page's form sent it. A form sends all of its fields, so empty
  ///   ones are ignored.
  /// - Throws: `unknown_field` for a parameter outside `allowed`, `invalid_value` for one that
  ///   occurs twice or can't be decoded.
  init(
    _ text: String?, allowed: [QueryParameter], isOfForm: Bool = false
  ) throws(APIError) {
    var values: [String: String] = [:]
    for pair in (text ?? "").split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let rawName = parts[0]
      guard let name = PercentEncoding.decode(rawName, plusIsSpace: true) else {
        throw .invalidValue(String(rawName), allowed: "UTF-8 text with percent escapes")
      }
      guard allowed.contains(where: { $0.name == name }) else {
        throw .unknownField(name, allowed: allowed.map(\.name))
      }
      guard values[name] == nil else { throw .invalidValue(name, allowed: "one value") }
      guard let value = PercentEncoding.decode(parts.dropFirst().first ?? "", plusIsSpace: true)
      else { throw .invalidValue(name, allowed: "UTF-8 text with percent escapes") }
      if isOfForm && value.isEmpty { continue }
      values[name] = value
    }
    self.init(values: values)
  }

  /// The text of a parameter; nil if it is absent.
  ///
  /// - Throws: `invalid_value` for text that is empty, too long, or has control characters.
  func text(_ name: String) throws(APIError) -> String? { try read(name, .plain) }

  /// The text of a parameter that this server made, such as a widget's token. It may be longer than
  /// other texts.
  func token(_ name: String) throws(APIError) -> String? {
    guard let value = values[name] else { return nil }
    guard value.utf8.count <= Query.longestToken else {
      throw .invalidValue(name, allowed: "a token of POST /api/widget-tokens")
    }
    return value
  }

  /// The cursor of the parameter `after`; nil for the first page.
  ///
  /// - Parameter read: Reads a cursor from the text of `next`; nil if it isn't one.
  func cursor<Cursor>(_ read: (String) -> Cursor?) throws(APIError) -> Cursor? {
    guard let text = values["after"] else { return nil }
    guard text.utf8.count <= Query.longestToken, let cursor = read(text) else {
      throw .invalidValue("after", allowed: "`next` of the previous page")
    }
    return cursor
  }

  private static let longestToken = 4096

  /// One of the given choices; nil if the parameter is absent.
  func choice<Choice: RawRepresentable<String>>(
    _ name: String, of choices: [Choice]
  ) throws(APIError) -> Choice? {
    guard let text = values[name] else { return nil }
    guard let choice = choices.first(where: { $0.rawValue == text }) else {
      throw .invalidValue(name, allowed: choices.map(\.rawValue).joined(separator: ", "))
    }
    return choice
  }

  /// A value in a format that other doors share.
  private func read<Value>(
    _ name: String, _ format: TextFormat<Value>
  ) throws(APIError) -> Value? {
    guard let value = values[name] else { return nil }
    guard let read = format.parse(value) else {
      throw .invalidValue(name, allowed: format.allowed)
    }
    return read
  }

  func integer(_ name: String, in range: ClosedRange<Int64>) throws(APIError) -> Int64? {
    try read(name, .integer(range))
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
    try choice(name, of: Array(Choice.allCases))
  }

  func moment(_ name: String, in zone: TimeZoneRules) throws(APIError) -> Timestamp? {
    try read(name, .moment)?.timestamp(in: zone)
  }

  func has(_ name: String) -> Bool { values[name] != nil }

  // MARK: Pages

  /// The length of a page, from 1 to 1000; by default 100.
  func limit() throws(APIError) -> Int {
    Int(try integer("limit", in: 1...1000) ?? 100)
  }
}
