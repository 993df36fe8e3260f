/// The reader of a page: the language, and with it the formats of numbers and dates.
public struct Reader: Sendable, Hashable {
  public let language: Language

  public init(language: Language) {
    self.language = language
  }

  /// The text in the reader's language.
  public func callAsFunction(_ phrase: Phrase) -> String {
    phrase.text(in: language)
  }

  var groupSeparator: Character { language == .english ? "," : "." }
  var decimalSeparator: Character { language == .english ? "." : "," }
}
