internal import Budgets
internal import JSON
internal import Money
internal import Time

/// A type of values in answers: its schema, and the JSON of its values.
protocol AnswerValue: SendableMetatype {
  static var answerSchema: JSONSchema { get }
  func writeAnswer(to writer: inout JSONWriter)
}

extension String: AnswerValue {
  static var answerSchema: JSONSchema { .anyText }
  func writeAnswer(to writer: inout JSONWriter) { writer.string(self) }
}

extension Int64: AnswerValue {
  static var answerSchema: JSONSchema { .count }
  func writeAnswer(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Int: AnswerValue {
  static var answerSchema: JSONSchema { .count }
  func writeAnswer(to writer: inout JSONWriter) { writer.integer(Int64(self)) }
}

extension Bool: AnswerValue {
  static var answerSchema: JSONSchema { .boolean }
  func writeAnswer(to writer: inout JSONWriter) { writer.boolean(self) }
}

/// In UTC. An instant in a client's time zone is written as text.
extension Timestamp: AnswerValue {
  static var answerSchema: JSONSchema { .instant }
  func writeAnswer(to writer: inout JSONWriter) { writer.string(rfc3339) }
}

/// Without its currency, which is a field of its own.
extension Money: AnswerValue {
  static var answerSchema: JSONSchema { .money }
  func writeAnswer(to writer: inout JSONWriter) { writer.string(decimalText) }
}

extension Currency: AnswerValue {
  static var answerSchema: JSONSchema { .currency }
  func writeAnswer(to writer: inout JSONWriter) { writer.string(code) }
}

extension Markup: AnswerValue {
  static var answerSchema: JSONSchema { .markup }
  func writeAnswer(to writer: inout JSONWriter) { writer.string(description) }
}

extension Optional: AnswerValue where Wrapped: AnswerValue {
  static var answerSchema: JSONSchema { Wrapped.answerSchema.orNull }

  func writeAnswer(to writer: inout JSONWriter) {
    if let self { self.writeAnswer(to: &writer) } else { writer.null() }
  }
}

extension Array: AnswerValue where Element: AnswerValue {
  static var answerSchema: JSONSchema { .list(of: Element.answerSchema) }

  func writeAnswer(to writer: inout JSONWriter) {
    writer.array { list in for element in self { element.writeAnswer(to: &list) } }
  }
}

/// A value that already is JSON.
struct AnswerJSON: AnswerValue {
  private let json: [UInt8]

  init(_ json: String) {
    self.json = Array(json.utf8)
  }

  init(_ write: (inout JSONWriter) -> Void) {
    var writer = JSONWriter()
    write(&writer)
    json = writer.bytes
  }

  static var answerSchema: JSONSchema { .freeObject }
  func writeAnswer(to writer: inout JSONWriter) { writer.raw(json) }
}

/// Tenths of a percent, written as a number with one decimal.
struct Permille: AnswerValue {
  let value: Int

  init(_ value: Int) {
    self.value = value
  }

  /// Nil without a share.
  init?(_ share: Share?) {
    guard let share else { return nil }
    value = share.permille
  }

  static var answerSchema: JSONSchema { .number }
  func writeAnswer(to writer: inout JSONWriter) {
    writer.raw("\(value / 10).\(value % 10)".utf8)
  }
}
