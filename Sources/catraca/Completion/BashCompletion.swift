/// The script for bash, which has no summaries.
enum BashCompletion {
  static func script(_ words: CompletionWords) -> String {
    let groups = words.groups.map { "    1:\($0.first)) words='\(list($0.second))' ;;" }
    return """
      # bash completion of catraca, as `catraca completion bash` prints it.
      _catraca() {
        local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]}
        local first=1 command words='' paths=''
        COMPREPLY=()
        if [[ ${COMP_WORDS[1]} == help ]] && ((COMP_CWORD > 1)); then first=2; fi
        command=${COMP_WORDS[first]}
        case $command in
          \(words.groups.map(\.first).joined(separator: " | ")))
            if ((COMP_CWORD > first + 1)); then command+=" ${COMP_WORDS[first + 1]}"; fi ;;
        esac
        case $((COMP_CWORD - first)):$command in
          0:*)
            words='\(list(words.first))'
            if ((first == 2)); then words='\(list(words.help))'; fi ;;
      \(groups.joined(separator: "\n"))
          *)
            if ((first == 2)); then return; fi
            case "$command $last" in
      \(words.commands.flatMap(branches).joined(separator: "\n"))
            esac ;;
        esac
        if [[ $paths && $word != -* ]]; then
          compopt -o filenames 2>/dev/null
          mapfile -t COMPREPLY < <(compgen -f -- "$word")
        fi
        if [[ $words ]]; then
          mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$words" -- "$word")
        fi
      }
      complete -F _catraca catraca
      """
  }

  private static func list(_ words: [CompletionWords.Word]) -> String {
    words.map(\.text).joined(separator: " ")
  }

  /// The words that may follow each option of a command, then the words for any other place.
  private static func branches(of command: Command) -> [String] {
    var branches = command.options.filter { $0.valueName != nil }.map { option in
      branch("'\(command.name) --\(option.name)'", [], option.completion)
    }
    let options = command.options.map { "--\($0.name)" } + ["--help"]
    let argument = command.arguments.first?.completion ?? .nothing
    branches.append(branch("'\(command.name) '*", options, argument))
    return branches
  }

  private static func branch(
    _ pattern: String, _ words: [String], _ completion: ValueCompletion
  ) -> String {
    var words = words
    var actions: [String] = []
    switch completion {
    case .nothing: break
    case .choices(let choices): words = choices + words
    case .paths: actions.append("paths=yes")
    }
    if !words.isEmpty { actions.append("words='\(words.joined(separator: " "))'") }
    return
      (["        \(pattern))"] + [actions.joined(separator: " ")].filter { !$0.isEmpty } + [";;"])
      .joined(separator: " ")
  }
}
