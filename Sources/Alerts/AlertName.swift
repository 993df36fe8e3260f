internal import Logging

/// A name as an alert shows it: apps choose the names of users, conversations and models, so a
/// name is neither trusted nor short.
struct AlertName: CustomStringConvertible {
  let description: String

  /// Enough for an identifier, and short enough for many in one sentence.
  static let longest = 64

  /// Example: of `a` 100 times, 63 are left, and `…`. Scalars are counted, since one character may
  /// have any number of them.
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

/// A sentence for Slack and what understands its format, such as Mattermost and Discord.
///
/// A name in the sentence must not call people (`@here`, `<!channel>`), make a link, or show a
/// picture. Slack reads `&`, `<` and `>` as markup, so these are escaped. Others read `@name`,
/// `://` and `](` too; a zero-width space inside of them keeps them plain text. Example: `@here`
/// becomes `@`, a zero-width space, `here`; `ana@example.com` stays as it is.
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

  /// Whether what follows an `@` may be read as the name of somebody.
  private static func mentions(in rest: Substring, after previous: Character?) -> Bool {
    guard let previous, previous.isLetter || previous.isNumber else { return true }
    let word = rest.prefix(10).lowercased()
    return mentions.contains { word.hasPrefix($0) }
  }
}
