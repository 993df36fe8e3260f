/// What was given on the command line, checked against what the command takes.
struct ArgumentValues: Sendable {
  /// By the parameter's name; only texts that its format accepts.
  private var texts: [String: String] = [:]

  func has(_ name: String) -> Bool {
    texts[name] != nil
  }

  mutating func set(_ name: String, _ text: String) {
    texts[name] = text
  }

  /// What was given, else the default; nil where there is neither.
  subscript<Value>(parameter: Parameter<Value>) -> Value? {
    (texts[parameter.name] ?? parameter.defaultText).flatMap(parameter.format.parse)
  }

  /// What was given, else the default; throws `missing` where there is neither.
  func required<Value>(_ parameter: Parameter<Value>) throws(CommandError) -> Value {
    guard let value = self[parameter] else { throw .usage(.missing(Spelling(parameter))) }
    return value
  }

  /// Whether a flag was given.
  func isSet(_ flag: Parameter<Bool>) -> Bool {
    self[flag] ?? false
  }
}
