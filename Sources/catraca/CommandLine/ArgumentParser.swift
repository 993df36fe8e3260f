internal import Configuration

/// Reads the words after a command's name.
///
/// Options are `--name value`, `--name=value` or `--flag`, in any place; after `--` every word is
/// an argument. A value that begins with two dashes has to be given with `=`.
struct ArgumentParser {
  private let command: Command
  private var values = ArgumentValues()
  private var arguments: [String] = []

  static func parse(
    _ words: some Sequence<String>, for command: Command
  ) throws(UsageError) -> ArgumentValues {
    var parser = ArgumentParser(command: command)
    var words = Array(words)[...]
    while let word = words.popFirst() {
      if word == "--" {
        parser.arguments += words
        break
      }
      if word.hasPrefix("-"), word.count > 1 {
        try parser.takeOption(word, &words)
      } else {
        parser.arguments.append(word)
      }
    }
    try parser.assignArguments()
    try parser.checkRequired()
    return parser.values
  }

  private init(command: Command) {
    self.command = command
  }

  private mutating func takeOption(
    _ word: String, _ rest: inout ArraySlice<String>
  ) throws(UsageError) {
    let name = word.prefix { $0 != "=" }
    let inlineValue = name.endIndex == word.endIndex ? nil : word[name.endIndex...].dropFirst()
    guard let option = command.options.first(where: { "--\($0.name)" == name }) else {
      let names = command.options.map { "--\($0.name)" } + ["--help"]
      throw .unknownOption(
        String(name), suggestion: likelyMeant(by: String(name), among: names))
    }
    let spelling = Spelling(option)
    guard !values.has(option.name) else { throw .repeated(spelling) }
    if option.valueName == nil {
      guard inlineValue == nil else { throw .unexpectedValue(spelling) }
      values.set(option.name, ArgumentFormat<Bool>.present)
      return
    }
    if let inlineValue {
      try set(option, spelling, String(inlineValue))
      return
    }
    guard let next = rest.first, !next.hasPrefix("--") else { throw .missingValue(spelling) }
    rest.removeFirst()
    try set(option, spelling, next)
  }

  private mutating func assignArguments() throws(UsageError) {
    if arguments.count > command.arguments.count {
      throw .unexpectedArgument(arguments[command.arguments.count])
    }
    for (argument, text) in zip(command.arguments, arguments) {
      try set(argument, Spelling(argument, isArgument: true), text)
    }
  }

  private mutating func set(
    _ parameter: any ParameterDescription, _ spelling: Spelling, _ text: String
  ) throws(UsageError) {
    guard parameter.accepts(text) else {
      throw .invalid(spelling, value: text, allowed: parameter.allowed)
    }
    values.set(parameter.name, text)
  }

  private func checkRequired() throws(UsageError) {
    for argument in command.arguments where argument.isRequired && !values.has(argument.name) {
      throw .missing(Spelling(argument, isArgument: true))
    }
    for option in command.options where option.isRequired && !values.has(option.name) {
      throw .missing(Spelling(option))
    }
  }
}
