internal import JSON
internal import Logging
internal import Money
internal import Time

/// One value of a table, before it is formatted.
enum Cell: Hashable, Sendable {
  case none
  case text(String)
  case integer(Int64)
  /// A decimal as text, such as money; a string in JSON.
  case decimal(String)
  /// Nano-units of a currency: a decimal for people, the integer for programs.
  case nanoUnits(Int64)
  /// A percentage in tenths; a number with one decimal in JSON.
  case tenths(Int64)
  case boolean(Bool)
  case list([String])
  /// JSON as it was recorded.
  case json(String)

  static func optional(_ text: String?) -> Cell { text.map { .text($0) } ?? .none }
  static func optional(_ number: Int64?) -> Cell { number.map { .integer($0) } ?? .none }
  static func optional(_ list: [String]?) -> Cell { list.map { .list($0) } ?? .none }
  static func instant(_ instant: Timestamp?) -> Cell { .optional(instant?.rfc3339) }
  static func money(_ money: Money) -> Cell { .decimal(money.decimalText) }
  /// Money whose currency stands elsewhere.
  static func amount(nanoUnits: Int64) -> Cell { .decimal(decimalText(nanoUnits)) }

  var isNumber: Bool {
    switch self {
    case .integer, .decimal, .nanoUnits, .tenths: true
    case .none, .text, .boolean, .list, .json: false
    }
  }

  /// The text for people. Control characters are escaped, because they could steer a terminal.
  var shown: String {
    switch self {
    case .none: "-"
    case .text(let text), .json(let text): HarmlessText.escaping(text)
    case .integer(let number): Cell.grouped(number)
    case .decimal(let text): text
    case .nanoUnits(let nanoUnits): Cell.decimalText(nanoUnits)
    case .tenths(let tenths): "\(tenths / 10).\(tenths % 10)"
    case .boolean(let value): value ? "yes" : "no"
    case .list(let items): HarmlessText.escaping(items.joined(separator: ","))
    }
  }

  /// The text for other programs.
  var plain: String {
    switch self {
    case .none: ""
    case .text(let text), .json(let text), .decimal(let text): text
    case .integer(let number), .nanoUnits(let number): String(number)
    case .tenths: shown
    case .boolean(let value): String(value)
    case .list(let items): items.joined(separator: ",")
    }
  }

  func write(to writer: inout JSONWriter) {
    switch self {
    case .none: writer.null()
    case .text(let text), .decimal(let text): writer.string(text)
    case .integer(let number), .nanoUnits(let number): writer.integer(number)
    case .tenths: writer.raw(shown.utf8)
    case .boolean(let value): writer.boolean(value)
    case .list(let items): writer.array { for item in items { $0.string(item) } }
    case .json(let text): writer.raw(text.utf8)
    }
  }

  private static func decimalText(_ nanoUnits: Int64) -> String {
    // The text is the same in every currency.
    Money(nanoUnits: nanoUnits, currency: .usd).decimalText
  }

  /// With commas between thousands.
  static func grouped(_ number: Int64) -> String {
    let digits = Array(String(number.magnitude))
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return text
  }
}

extension JSONWriter {
  /// The API's form of a list, whole.
  mutating func list(_ table: Table) {
    object { list in
      list.member("data") { $0.rows(table) }
      list.member("has_more", false)
      list.member("next", nil)
    }
  }

  /// An array of the rows as objects.
  mutating func rows(_ table: Table) {
    array { rows in
      for row in table.rows {
        rows.object { object in
          for (column, cell) in zip(table.columns, row) {
            object.member(column, cell)
          }
        }
      }
    }
  }

  mutating func record(_ record: Record) {
    object { $0.members(of: record) }
  }

  /// The fields, inside of an object that may have others.
  mutating func members(of record: Record) {
    for field in record.fields { member(field.column, field.value) }
  }

  private mutating func member(_ column: Table.Column, _ cell: Cell) {
    guard let key = column.key else { return }
    self.key(key)
    cell.write(to: &self)
  }
}
