/// The script for zsh: for a folder of `fpath`, or to be sourced after `compinit`.
enum ZshCompletion {
  static func script(_ words: CompletionWords) -> String {
    let groups = words.groups.map { group in
      "      \(group.first)) choices=(\(described(group.second))) ;;"
    }
    return """
      #compdef catraca
      # zsh completion of catraca, as `catraca completion zsh` prints it.
      _catraca() {
        local -i first=2
        local -a choices
        if [[ $words[2] == help ]] && (( CURRENT > 2 )); then first=3; fi
        if (( CURRENT == first )); then
          choices=(\(described(words.first)))
          if (( first == 3 )); then choices=(\(described(words.help))); fi
        elif (( CURRENT == first + 1 )); then
          case $words[first] in
      \(groups.joined(separator: "\n"))
          esac
        fi
        if (( $#choices )); then
          _describe -t commands command choices
          return
        fi
        if (( first == 3 )); then return 1; fi
        case $words[2] in
          \(words.groups.map(\.first).joined(separator: " | ")))
            words=("$words[2] $words[3]" "${(@)words[4,-1]}")
            (( CURRENT -= 2 )) ;;
          *)
            shift words
            (( CURRENT -= 1 )) ;;
        esac
        case $words[1] in
      \(words.commands.map(branch).joined(separator: "\n"))
        esac
      }
      if [[ $funcstack[1] == _catraca ]]; then
        _catraca "$@"
      else
        compdef _catraca catraca
      fi
      """
  }

  private static func described(_ words: [CompletionWords.Word]) -> String {
    words.map { quoted("\($0.text):\(escaped($0.summary))") }.joined(separator: " ")
  }

  private static func branch(of command: Command) -> String {
    let arguments = command.arguments.enumerated().map { index, argument in
      quoted("\(index + 1):\(escaped(argument.valueName ?? "")):\(action(argument))")
    }
    let options = command.options.map { option in
      let value = option.valueName.map { ":\(escaped($0)):\(action(option))" } ?? ""
      return quoted("--\(option.name)[\(escaped(option.summary))]\(value)")
    }
    let all = (arguments + options + ["'--help[shows this]'"]).joined(separator: " \\\n        ")
    return "    '\(command.name)')\n      _arguments \\\n        \(all) ;;"
  }

  private static func action(_ parameter: any ParameterDescription) -> String {
    switch parameter.completion {
    case .nothing: " "
    case .choices(let choices): "(\(choices.joined(separator: " ")))"
    case .paths: "_files"
    }
  }

  /// Text in which nothing is a mark of `_arguments` or `_describe`.
  private static func escaped(_ text: String) -> String {
    text.map { #"\:[]"#.contains($0) ? "\\\($0)" : "\($0)" }.joined()
  }

  private static func quoted(_ text: String) -> String {
    "'\(text.map { $0 == "'" ? #"'\''"# : "\($0)" }.joined())'"
  }
}
