/// The help of the program and of its commands.
enum HelpText {
  /// The list of commands, all or those of a group.
  static func overview(of commands: [Command], group: String?) -> String {
    let title = group.map { "catraca \($0) COMMAND" } ?? "catraca COMMAND"
    let list = commands.map { command in
      ([command.name] + command.arguments.map { usage(of: $0, isArgument: true) }, command.summary)
    }
    return """
      Usage: \(title) [OPTIONS]

      Catraca meters requests to OpenAI, Groq and their like, and keeps them within budgets.

      Commands:
      \(columns(list.map { ($0.0.joined(separator: " "), $0.1) }))
      \(group == nil ? topics : "")
      'catraca help COMMAND' explains one. Exit status: 0 well, 1 failed, 2 wrong usage.

      """
  }

  /// The list of topics.
  private static var topics: String {
    """

    Topics, for 'catraca help TOPIC':
    \(columns(HelpTopic.all.map { ($0.name, $0.summary) }))

    """
  }

  /// Everything about one command.
  static func page(on command: Command) -> String {
    let summary = command.summary.prefix(1).uppercased() + command.summary.dropFirst()
    var sections = ["\(usageLine(of: command))\n\n\(summary)."]
    if !command.arguments.isEmpty {
      let list = command.arguments.map { ($0.valueName ?? $0.name, meaning(of: $0)) }
      sections.append("Arguments:\n\(columns(list))")
    }
    let options = command.options.map { (Spelling($0).description, meaning(of: $0)) }
    sections.append("Options:\n\(columns(options + [("--help, -h", "shows this")]))")
    if !command.examples.isEmpty {
      let examples = command.examples.map { "  catraca \($0.line)\n      \($0.meaning)" }
      sections.append("Examples:\n\(examples.joined(separator: "\n"))")
    }
    return sections.joined(separator: "\n\n") + "\n"
  }

  /// The line that says how a command is written.
  static func usageLine(of command: Command) -> String {
    let parts =
      command.arguments.map { usage(of: $0, isArgument: true) }
      + command.options.map { usage(of: $0, isArgument: false) }
    return "Usage: \((["catraca", command.name] + parts).joined(separator: " "))"
  }

  private static func usage(of parameter: any ParameterDescription, isArgument: Bool) -> String {
    let spelling = Spelling(parameter, isArgument: isArgument).description
    return parameter.isRequired ? spelling : "[\(spelling)]"
  }

  private static func meaning(of parameter: any ParameterDescription) -> String {
    var text = parameter.summary
    if parameter.isRequired { text += " (required)" }
    if parameter.valueName != nil, let standard = parameter.defaultText {
      text += " (default: \(standard))"
    }
    return text
  }

  private static func columns(_ rows: [(name: String, meaning: String)]) -> String {
    let width = rows.map(\.name.count).max() ?? 0
    return rows.map { name, meaning in
      "  \(name)\(String(repeating: " ", count: width - name.count))  \(meaning)"
    }.joined(separator: "\n")
  }
}
