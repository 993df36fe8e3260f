internal import Logging

/// A name as an alert shows it. Apps choose the names of users, conversations and models, so a name
/// may be harmful and long.
struct AlertName: CustomStringConvertible {
  let description: String

  /// The longest name: enough for an identifier, and short enough for several in one sentence.
  static let longest = 64

  /// Shortens a name. Of `a` 100 times, 63 are left, followed by `…`. Scalars are counted, because
  /// one character may have any number of them.
  init(_ text: String) {
    let begin = text.unicodeScalars.prefix(AlertName.longest + 1)
    let harmless = HarmlessText.escaping(String(String.UnicodeScalarView(begin))).unicodeScalars
    if harmless.count <= AlertName.longest {
      description = String(harmless)
    } else {
      let kept = harmless.prefix(AlertName.longest - 1)
      description = String(String.UnicodeScalarView(kept)) + "…"
    }
  }
}

/// A sentence for Slack, and for services with its format, for example Mattermost and Discord.
///
/// A name in the sentence must not notify people (`@here`, `<!channel>`), form a link, or show a
/// picture. Slack reads `&`, `<` and `>` as markup, so these are escaped. Others also read `@name`,
/// `://` and `](`; a zero-width space inside keeps them plain text. Example: `@here` becomes `@`, a
/// zero-width space, `here`; `ana@example.com` is unchanged.
struct SlackText: CustomStringConvertible {
  let description: String

  private static let separator = "\u{200B}"
  private static let mentions = ["here", "channel", "everyone", "all", "group"]

  init(_ sentence: String) {
    var text = ""
    var rest = Substring(sentence)
    while let character = rest.popFirst() {
      switch character {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "@" where SlackText.mentions(in: rest, after: text.last):
        text += "@\(SlackText.separator)"
      case ":" where rest.hasPrefix("//"): text += ":\(SlackText.separator)"
      case "]" where rest.hasPrefix("("): text += "]\(SlackText.separator)"
      default: text.append(character)
      }
    }
    description = text
  }

  /// Whether the text after an `@` may be read as a person's name.
  private static func mentions(in rest: Substring, after previous: Character?) -> Bool {
    guard let previous, previous.isLetter || previous.isNumber else { return true }
    let word = rest.prefix(10).lowercased()
    return mentions.contains { word.hasPrefix($0) }
  }
}
