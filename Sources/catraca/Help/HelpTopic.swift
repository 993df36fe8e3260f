/// An article of the manual that `catraca help TOPIC` prints.
///
/// The article's text is in this folder, so that the program needs no file at run time. The
/// catalog `catraca.docc` has the same text; a test compares both.
struct HelpTopic: Sendable {
  /// The word to type: `pricing-files`.
  let name: String
  /// The name of the catalog's file, without `.md`: `PricingFiles`.
  let article: String
  /// One line for the list of topics.
  let summary: String
  private let text: @Sendable (HelpTable.Form) -> String

  init(
    _ name: String, article: String, _ summary: String,
    text: @escaping @Sendable (HelpTable.Form) -> String
  ) {
    self.name = name
    self.article = article
    self.summary = summary
    self.text = text
  }

  /// Every topic, in the order of the help.
  static let all: [HelpTopic] = [
    .settings, .clients, .pricingFiles, .budgets, .errors, .logs, .metrics,
  ]

  /// The topic of this name; nil if there is none.
  static func named(_ name: String) -> HelpTopic? { all.first { $0.name == name } }

  /// The article as the catalog has it.
  var markdown: String { "\(text(.markdown))\n" }

  /// The article for a terminal: no marks of Markdown, tables as lists.
  var terminalText: String {
    var isCode = false
    var lines: [String] = []
    for line in text(.list).split(separator: "\n", omittingEmptySubsequences: false) {
      if line.drop(while: { $0 == " " }).hasPrefix("```") {
        isCode.toggle()
      } else if isCode {
        lines.append(line.isEmpty ? "" : "    \(line)")
      } else {
        lines.append(HelpTopic.plain(line))
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A line of prose without marks. A heading is in capitals.
  private static func plain(_ line: Substring) -> String {
    if line.hasPrefix("#") { return line.drop { $0 == "#" || $0 == " " }.uppercased() }
    let parts = line.split(separator: "**", omittingEmptySubsequences: false).joined()
      .split(separator: "<doc:", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(into: String(parts[0])) { text, part in
      let link = part.split(separator: ">", maxSplits: 1, omittingEmptySubsequences: false)
      let topic = all.first { $0.article == link[0] }
      text += topic.map { "'catraca help \($0.name)'" } ?? "the article \(link[0])"
      text += link.dropFirst().joined()
    }
  }
}
