/// The script for fish.
enum FishCompletion {
  static func script(_ words: CompletionWords) -> String {
    var lines = [head]
    lines += offers(words.first, after: "") + offers(words.help, after: "help")
    for group in words.groups {
      for typed in [group.first, "help \(group.first)"] {
        lines += offers(group.second, after: typed)
      }
    }
    for command in words.commands { lines += parameters(of: command) }
    return lines.joined(separator: "\n")
  }

  private static let head = """
    # fish completion of catraca, as `catraca completion fish` prints it.
    function __catraca_typed
      set -l typed (commandline -opc)
      set -e typed[1]
      test "$typed" = "$argv[1]"
    end
    function __catraca_runs
      set -l typed (commandline -opc)
      set -e typed[1]
      string match -q -- "$argv[1] *" "$typed "
    end
    complete -c catraca -f
    """

  private static func offers(_ words: [CompletionWords.Word], after typed: String) -> [String] {
    words.map { word in
      "complete -c catraca -n \(condition("typed", typed)) -a \(word.text) "
        + "-d \(quoted(word.summary))"
    }
  }

  private static func parameters(of command: Command) -> [String] {
    let start = "complete -c catraca -n \(condition("runs", command.name))"
    let arguments = command.arguments.compactMap { argument in
      switch argument.completion {
      case .nothing: nil as String?
      case .choices(let choices): "\(start) -a \(quoted(choices.joined(separator: " ")))"
      case .paths: "\(start) -F"
      }
    }
    let options = command.options.map { option in
      "\(start) -l \(option.name)\(value(of: option)) -d \(quoted(option.summary))"
    }
    return arguments + options + ["\(start) -l help -s h -d 'shows this'"]
  }

  private static func value(of option: any ParameterDescription) -> String {
    guard option.valueName != nil else { return "" }
    return switch option.completion {
    case .nothing: " -x"
    case .choices(let choices): " -x -a \(quoted(choices.joined(separator: " ")))"
    case .paths: " -r -F"
    }
  }

  private static func condition(_ function: String, _ words: String) -> String {
    "\"__catraca_\(function) '\(words)'\""
  }

  private static func quoted(_ text: String) -> String {
    "'\(text.map { #"\'"#.contains($0) ? "\\\($0)" : "\($0)" }.joined())'"
  }
}
