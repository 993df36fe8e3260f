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

extension Reader {
  /// Converts a decimal that the reader typed to the API's spelling: in Portuguese, `1.234,56`
  /// becomes `1234.56`. Other text stays as it is, so that the API refuses it.
  public func plainDecimal(_ text: String) -> String {
    let parts = text.split(separator: decimalSeparator, omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let whole = ungrouped(parts[0]) else { return text }
    guard parts.count == 2 else { return whole }
    guard !parts[1].isEmpty, parts[1].utf8.allSatisfy(Reader.isDigit) else { return text }
    return "\(whole).\(parts[1])"
  }

  /// The digits without separators; nil if the separators don't form groups of three.
  private func ungrouped(_ text: Substring) -> String? {
    let groups = text.split(separator: groupSeparator, omittingEmptySubsequences: false)
    guard groups.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Reader.isDigit) }),
      groups.dropFirst().allSatisfy({ $0.count == 3 }),
      groups.count == 1 || groups[0].count <= 3
    else { return nil }
    return groups.joined()
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
