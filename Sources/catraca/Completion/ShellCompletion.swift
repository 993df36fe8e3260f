/// `catraca completion SHELL`: prints a script that completes commands in a shell. The script is
/// made from the table of commands.
enum ShellCompletion {
  enum Shell: String, Sendable, CaseIterable {
    case bash, zsh, fish
  }

  private static let shell = Parameter(
    "shell", ArgumentFormat<Shell>.choice("SHELL"), "bash, zsh or fish", isRequired: true)

  static let command = Command(
    "completion", "prints a script with which a shell completes commands and options",
    arguments: [shell],
    examples: [
      Command.Example(
        line: "completion bash",
        meaning: "for a file ~/.local/share/bash-completion/completions/catraca"),
      Command.Example(
        line: "completion zsh", meaning: "for a file _catraca in a folder of fpath"),
      Command.Example(
        line: "completion fish", meaning: "for a file ~/.config/fish/completions/catraca.fish"),
    ]
  ) { invocation throws(CommandError) in
    let words = CompletionWords(of: Commands.all)
    return CommandOutcome(.line(script(for: try invocation.values.required(shell), words)))
  }

  /// The script, without a line break at its end.
  static func script(for shell: Shell, _ words: CompletionWords) -> String {
    switch shell {
    case .bash: BashCompletion.script(words)
    case .zsh: ZshCompletion.script(words)
    case .fish: FishCompletion.script(words)
    }
  }
}
