/// The words of a command line in the order in which they are typed, as scripts offer them.
struct CompletionWords: Sendable {
  struct Word: Sendable, Hashable {
    let text: String
    let summary: String
  }

  let commands: [Command]
  /// The first words.
  let first: [Word]
  /// The words behind `help`: the first words, and the topics.
  let help: [Word]
  /// The second words, by the first word of commands that have two.
  let groups: [(first: String, second: [Word])]

  init(of commands: [Command]) {
    self.commands = commands
    var order: [String] = []
    var groups: [String: [Word]] = [:]
    var summaries: [String: String] = [:]
    for command in commands {
      let word = command.words[0]
      if !order.contains(word) { order.append(word) }
      if command.words.count > 1 {
        groups[word, default: []].append(Word(text: command.words[1], summary: command.summary))
      } else {
        summaries[word] = command.summary
      }
    }
    first =
      order.map { word in
        let seconds = groups[word]?.map(\.text).joined(separator: ", ")
        return Word(text: word, summary: summaries[word] ?? seconds ?? "")
      } + [Word(text: "help", summary: "explains a command or topic")]
    help = first + HelpTopic.all.map { Word(text: $0.name, summary: $0.summary) }
    self.groups = order.compactMap { word in groups[word].map { (word, $0) } }
  }
}

/// The shell's completions for a value.
enum ValueCompletion: Sendable, Hashable {
  case nothing
  case choices([String])
  case paths
}
