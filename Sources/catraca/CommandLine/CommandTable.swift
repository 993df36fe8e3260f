internal import Configuration

/// The commands of the program, to be found by the words of a command line.
struct CommandTable: Sendable {
  /// In the order of the help.
  let commands: [Command]

  /// The request of a command line.
  enum Request: Sendable {
    case run(Command, ArgumentValues)
    case helpOn(Command)
    /// The commands that begin with this word; all where it is nil.
    case helpOnGroup(String?)
  }

  /// A command line with a mistake, and its command if that is clear.
  struct Refusal: Error {
    let error: UsageError
    let command: Command?
  }

  func request(for words: [String]) throws(Refusal) -> Request {
    let wantsHelp = words.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
    guard let first = words.first, !first.hasPrefix("-") else {
      if wantsHelp { return .helpOnGroup(nil) }
      guard let option = words.first else { throw Refusal(error: .noCommand, command: nil) }
      throw Refusal(error: .unknownOption(option, suggestion: nil), command: nil)
    }
    if let command = command(beginning: words) {
      if wantsHelp { return .helpOn(command) }
      do {
        let values = try ArgumentParser.parse(
          words.dropFirst(command.words.count), for: command)
        return .run(command, values)
      } catch {
        throw Refusal(error: error, command: command)
      }
    }
    let group = commands(inGroup: first)
    if !group.isEmpty, wantsHelp { return .helpOnGroup(first) }
    throw Refusal(error: error(for: words, group), command: nil)
  }

  /// The command whose name these words begin with.
  func command(beginning words: some Collection<String>) -> Command? {
    commands.first { words.starts(with: $0.words) }
  }

  /// The commands of two words that begin with this one.
  func commands(inGroup word: String) -> [Command] {
    commands.filter { $0.words.count > 1 && $0.words.first == word }
  }

  private func error(for words: [String], _ group: [Command]) -> UsageError {
    let second = words.dropFirst().first.flatMap { $0.hasPrefix("-") ? nil : $0 }
    guard group.isEmpty else {
      let allowed = group.compactMap(\.words.last)
      guard let second else { return .incompleteCommand(words[0], allowed: allowed) }
      return unknown("\(words[0]) \(second)", among: group.map(\.name))
    }
    return unknown(words[0], among: Set(commands.compactMap(\.words.first)).sorted())
  }

  private func unknown(_ name: String, among names: [String]) -> UsageError {
    .unknownCommand(name, suggestion: likelyMeant(by: name, among: names).map { "'\($0)'" })
  }
}
