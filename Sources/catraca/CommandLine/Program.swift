internal import Configuration

/// Runs the command of a command line and returns its output. The caller prints it.
struct Program: Sendable {
  let table: CommandTable

  init(commands: [Command]) {
    table = CommandTable(commands: commands)
  }

  /// The output that is still to be printed, and the exit status.
  struct Printout: Hashable, Sendable {
    var output = ""
    var error = ""
    var exitCode = ExitCode.well
  }

  /// Runs the command that `words`, the command line without the program's name, names.
  func run(_ words: [String], in surroundings: Surroundings) async -> Printout {
    if let topic = topicPrintout(words) { return topic }
    let request: CommandTable.Request
    do {
      request = try table.request(for: Program.spelledOut(words))
    } catch {
      return printout(of: error)
    }
    switch request {
    case .helpOn(let command):
      return Printout(output: HelpText.page(on: command))
    case .helpOnGroup(let group):
      let commands = group.map { table.commands(inGroup: $0) } ?? table.commands
      return Printout(output: HelpText.overview(of: commands, group: group))
    case .run(let command, let values):
      return await run(command, Invocation(values: values, surroundings: surroundings))
    }
  }

  /// The answer to `help TOPIC`; nil for any other command line.
  ///
  /// `--markdown` after the topic prints the article as the manual's catalog has it.
  private func topicPrintout(_ words: [String]) -> Printout? {
    guard words.first == "help", words.count > 1, !words[1].hasPrefix("-") else { return nil }
    guard let topic = HelpTopic.named(words[1]) else {
      let isCommand = table.commands.contains { $0.words.first == words[1] }
      return isCommand ? nil : printout(of: unknownTopic(words[1]))
    }
    switch words.dropFirst(2) {
    case []: return Printout(output: topic.terminalText)
    case ["--markdown"]: return Printout(output: topic.markdown)
    default: return printout(of: .init(error: .unexpectedArgument(words[2]), command: nil))
    }
  }

  private func unknownTopic(_ word: String) -> CommandTable.Refusal {
    let topics = HelpTopic.all.map(\.name)
    let names = Set(table.commands.compactMap(\.words.first) + topics).sorted()
    let suggestion = likelyMeant(by: word, among: names).map { "'\($0)'" }
    return .init(
      error: .unknownTopic(word, suggestion: suggestion, topics: topics), command: nil)
  }

  private func run(_ command: Command, _ invocation: Invocation) async -> Printout {
    do {
      let outcome = try await command.run(invocation)
      let format = invocation.values[CommonOptions.format] ?? .table
      return Printout(
        output: outcome.report.text(in: format, style: invocation.surroundings.output),
        error: outcome.notes.map { "\($0)\n" }.joined(), exitCode: outcome.exitCode)
    } catch {
      if case .usage(let usage) = error {
        return printout(of: CommandTable.Refusal(error: usage, command: command))
      }
      return Printout(
        error: error.lines.map { "\($0)\n" }.joined(), exitCode: error.exitCode)
    }
  }

  private func printout(of refusal: CommandTable.Refusal) -> Printout {
    var text = CommandError.usage(refusal.error).lines.map { "\($0)\n" }.joined()
    if let command = refusal.command {
      text += "\(HelpText.usageLine(of: command))\n"
    } else {
      text += "'catraca help' lists the commands\n"
    }
    return Printout(error: text, exitCode: .wrongUsage)
  }

  /// Turns `--help`, `--version` and `help COMMAND` into the commands that they stand for.
  private static func spelledOut(_ words: [String]) -> [String] {
    switch words.first {
    case "--version": ["version"] + words.dropFirst()
    case "help": words.dropFirst() + ["--help"]
    default: words
    }
  }
}
