internal import JSON
internal import Money
internal import Pricing
internal import Time

/// A value that one column holds, as text or as an integer.
protocol ColumnValue: Sendable {
  associatedtype Stored: StoredColumnValue
  var stored: Stored { get }
  /// Returns nil if the column holds no such value.
  static func value(_ stored: Stored) -> Self?
}

/// What databases know: text and integers.
protocol StoredColumnValue: ColumnValue where Stored == Self {
  static func write(_ value: Self?, _ name: StaticString, to fields: inout some FieldWriter)
  static func read(_ name: String, from fields: some FieldReader) -> Self?
}

extension StoredColumnValue {
  var stored: Self { self }
  static func value(_ stored: Self) -> Self? { stored }
}

extension String: StoredColumnValue {
  static func write(_ value: String?, _ name: StaticString, to fields: inout some FieldWriter) {
    fields.write(name, value)
  }
  static func read(_ name: String, from fields: some FieldReader) -> String? { fields.text(name) }
}

extension Int64: StoredColumnValue {
  static func write(_ value: Int64?, _ name: StaticString, to fields: inout some FieldWriter) {
    fields.write(name, value)
  }
  static func read(_ name: String, from fields: some FieldReader) -> Int64? {
    fields.integer(name)
  }
}

extension Int: ColumnValue {
  var stored: Int64 { Int64(self) }
  static func value(_ stored: Int64) -> Int? { Int(exactly: stored) }
}

extension Bool: ColumnValue {
  var stored: Int64 { self ? 1 : 0 }
  static func value(_ stored: Int64) -> Bool? { stored != 0 }
}

extension ColumnValue where Self: RawRepresentable, RawValue == String {
  var stored: String { rawValue }
  static func value(_ stored: String) -> Self? { Self(rawValue: stored) }
}

extension Timestamp: ColumnValue {
  var stored: String { rfc3339 }
  static func value(_ stored: String) -> Timestamp? { Timestamp(rfc3339: stored) }
}

extension CivilDate: ColumnValue {
  var stored: String { description }
  static func value(_ stored: String) -> CivilDate? { CivilDate(stored) }
}

extension Markup: ColumnValue {
  var stored: String { description }
  static func value(_ stored: String) -> Markup? { Markup(stored) }
}

extension PlanBilling.Measure: ColumnValue {}

extension Currency: ColumnValue {
  var stored: String { code }
  static func value(_ stored: String) -> Currency? { Currency(stored) }
}

/// An array in one column, as a JSON array.
extension Array: ColumnValue where Element: ColumnListElement {
  var stored: String {
    var writer = JSONWriter()
    writer.array { array in for element in self { element.write(to: &array) } }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  static func value(_ stored: String) -> [Element]? {
    guard let array = try? JSONParser().parse(Array<UInt8>(stored.utf8)), array.kind == .array
    else { return nil }
    let elements = array.elements.map { Element($0) }
    return elements.contains { $0 == nil } ? nil : elements.compactMap(\.self)
  }
}

/// An element of an array in one column.
protocol ColumnListElement {
  func write(to writer: inout JSONWriter)
  init?(_ value: JSONValue)
}

extension String: ColumnListElement {
  func write(to writer: inout JSONWriter) { writer.string(self) }
  init?(_ value: JSONValue) {
    guard let text = value.string else { return nil }
    self = text
  }
}

extension Int: ColumnListElement {
  func write(to writer: inout JSONWriter) { writer.integer(Int64(self)) }
  init?(_ value: JSONValue) {
    guard let integer = value.integer else { return nil }
    self.init(exactly: integer)
  }
}

extension Operation: ColumnListElement {
  func write(to writer: inout JSONWriter) { writer.string(rawValue) }
  init?(_ value: JSONValue) {
    guard let name = value.string else { return nil }
    self.init(rawValue: name)
  }
}
