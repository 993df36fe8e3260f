/// A language of the pages.
public enum Language: String, Sendable, Hashable, CaseIterable {
  case english = "en"
  case portuguese = "pt-BR"

  /// The language's name in that language.
  public var name: String {
    switch self {
    case .english: "English"
    case .portuguese: "Português"
    }
  }

  /// The language that a browser prefers, from its `Accept-Language` (RFC 9110, 12.5.4). English if
  /// it accepts none of ours.
  public init(accepting text: String?) {
    var best: (language: Language, weight: Int) = (.english, 0)
    for entry in (text ?? "").split(separator: ",") {
      let parts = entry.split(separator: ";").map { $0.filter { $0 != " " } }
      guard let tag = parts.first?.lowercased() else { continue }
      let weight = parts.dropFirst().compactMap(Language.weight).first ?? 1000
      let language = Language.allCases.first { language in
        tag.split(separator: "-").first == language.rawValue.split(separator: "-").first
      }
      if let language, weight > best.weight { best = (language, weight) }
    }
    self = best.language
  }

  /// The weight of `q=0.8` in thousandths; nil if it is malformed.
  private static func weight(_ text: String) -> Int? {
    guard text.hasPrefix("q=") else { return nil }
    let digits = text.dropFirst(2).split(separator: ".", omittingEmptySubsequences: false)
    guard let whole = digits.first.flatMap({ Int($0) }), (0...1).contains(whole) else { return nil }
    let decimals = digits.count > 1 ? digits[1].prefix(3) : ""
    let padded = decimals + String(repeating: "0", count: 3 - decimals.count)
    return min(1000, whole * 1000 + (Int(padded) ?? 0))
  }
}

/// A text of the pages in every language. A text without a translation doesn't compile.
public struct Phrase: Sendable, Hashable {
  let english: String
  let portuguese: String

  public init(_ english: String, _ portuguese: String) {
    self.english = english
    self.portuguese = portuguese
  }

  /// The same text in every language, such as a name.
  public init(name: String) {
    self.init(name, name)
  }

  func text(in language: Language) -> String {
    switch language {
    case .english: english
    case .portuguese: portuguese
    }
  }
}
