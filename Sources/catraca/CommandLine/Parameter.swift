/// An argument, an option or a flag of a command, as the parser and the help see it.
protocol ParameterDescription: Sendable {
  /// Without dashes; unique within a command.
  var name: String { get }
  /// The placeholder for the value in the help, such as `DIR`; nil for a flag.
  var valueName: String? { get }
  var summary: String { get }
  /// The value if the command line has none.
  var defaultText: String? { get }
  var isRequired: Bool { get }
  /// The allowed values, as the words after `allowed: ` in a message.
  var allowed: String { get }
  /// The shell's completions for the value.
  var completion: ValueCompletion { get }
  func accepts(_ text: String) -> Bool
}

/// An argument, an option or a flag with the type of its value.
struct Parameter<Value>: ParameterDescription {
  let name: String
  let format: ArgumentFormat<Value>
  let summary: String
  let defaultText: String?
  let isRequired: Bool

  init(
    _ name: String, _ format: ArgumentFormat<Value>, _ summary: String, default: String? = nil,
    isRequired: Bool = false
  ) {
    self.name = name
    self.format = format
    self.summary = summary
    self.defaultText = `default`
    self.isRequired = isRequired
  }

  var valueName: String? { format.valueName }
  var allowed: String { format.allowed }
  var completion: ValueCompletion { format.completion }

  func accepts(_ text: String) -> Bool {
    format.parse(text) != nil
  }
}

extension Parameter<Bool> {
  /// An option without a value: given or not.
  static func flag(_ name: String, _ summary: String) -> Parameter {
    Parameter(name, .presence, summary, default: ArgumentFormat<Bool>.absent)
  }
}

/// The values of a command line, checked against the command's parameters.
struct ArgumentValues: Sendable {
  /// By the parameter's name; only texts that its format accepts.
  private var texts: [String: String] = [:]

  func has(_ name: String) -> Bool {
    texts[name] != nil
  }

  mutating func set(_ name: String, _ text: String) {
    texts[name] = text
  }

  /// The given value, else the default; nil if there is neither.
  subscript<Value>(parameter: Parameter<Value>) -> Value? {
    (texts[parameter.name] ?? parameter.defaultText).flatMap(parameter.format.parse)
  }

  /// The given value, else the default.
  ///
  /// - Throws: `CommandError.usage(.missing)` if there is neither.
  func required<Value>(_ parameter: Parameter<Value>) throws(CommandError) -> Value {
    guard let value = self[parameter] else { throw .usage(.missing(Spelling(parameter))) }
    return value
  }

  /// Whether a flag was given.
  func isSet(_ flag: Parameter<Bool>) -> Bool {
    self[flag] ?? false
  }
}
