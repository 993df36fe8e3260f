import Testing

@testable import catraca

@Suite struct CompletionTests {
  private let bench = TestBench()

  @Test("Every command, option and choice is in each shell's script", arguments: shells)
  func everythingIsThere(shell: ShellCompletion.Shell) async {
    let printout = await bench.run("completion \(shell.rawValue)")
    #expect(printout.exitCode == .well)
    let script = printout.output
    for command in Commands.all {
      for word in command.words { #expect(script.contains(word), "\(command.name)") }
      for parameter in command.arguments + command.options {
        if case .choices(let choices) = parameter.completion {
          #expect(script.contains(choices.joined(separator: " ")), "\(command.name)")
        }
      }
      for option in command.options {
        let name = shell == .fish ? "-l \(option.name)" : "--\(option.name)"
        #expect(script.contains(name), "\(command.name) \(option.name)")
      }
    }
  }

  @Test("Texts can't end the quotes that they stand in, nor become marks of zsh")
  func textsAreQuoted() {
    let option = Parameter("a", ArgumentFormat<String>.text("K:V"), #"it's [so]: \"#)
    let command = Command("do", "it's: done", options: [option]) { _ in CommandOutcome(.nothing) }
    let words = CompletionWords(of: [command])
    let zsh = ShellCompletion.script(for: .zsh, words)
    #expect(zsh.contains(#"'do:it'\''s\: done'"#))
    #expect(zsh.contains(#"'--a[it'\''s \[so\]\: \\]:K\:V: '"#))
    #expect(ShellCompletion.script(for: .fish, words).contains(#"-l a -x -d 'it\'s [so]: \\'"#))
  }

  @Test("Another shell is wrong usage")
  func otherShells() async {
    let printout = await bench.run("completion tcsh")
    #expect(printout.exitCode == .wrongUsage)
    #expect(printout.error.contains("allowed: one of bash, zsh, fish"))
  }

  private static let shells = ShellCompletion.Shell.allCases
}
