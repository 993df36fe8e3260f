internal import JSON

// Writes OTLP's attributes: objects with a key and a typed value. In the JSON of protocol buffers,
// 64-bit integers are text.

extension JSONWriter {
  /// Writes an attribute unless the value is nil.
  mutating func attribute(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    attribute("\(name)", text: value)
  }

  /// Writes an attribute unless the value is nil.
  mutating func attribute(_ name: StaticString, _ value: Int64?) {
    guard let value else { return }
    attribute("\(name)") { $0.member("intValue", "\(value)") }
  }

  /// Writes an attribute unless the value is nil.
  mutating func attribute(_ name: StaticString, _ value: Bool?) {
    guard let value else { return }
    attribute("\(name)") { $0.member("boolValue", value) }
  }

  /// Writes an attribute with a number of seconds.
  mutating func attribute(_ name: StaticString, seconds duration: Duration) {
    attribute("\(name)") { value in
      value.key("doubleValue")
      value.raw("\(duration / .seconds(1))".utf8)
    }
  }

  mutating func attribute(_ name: String, text: String) {
    attribute(name) { $0.member("stringValue", text) }
  }

  private mutating func attribute(_ name: String, _ value: (inout JSONWriter) -> Void) {
    object { attribute in
      attribute.member("key", name)
      attribute.member("value") { $0.object { value(&$0) } }
    }
  }
}
