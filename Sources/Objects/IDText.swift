import HTTP

extension MemberMeaning {
  /// The object that a text names in a member of this meaning; nil where it names none. If only the
  /// form tells, a text counts that has an id's form between spaces.
  func object(namedBy text: String) -> (id: String, kind: ObjectKind)? {
    if let kind = kind(ofID: text) { return (text, kind) }
    guard goesByForm else { return nil }
    let id = IDText.trimmed(text)
    return kind(ofID: id).map { (id, $0) }
  }
}

/// Finds the id in a text that a lenient provider could take for it.
enum IDText {
  /// A text without what a reader could trim: white space, control characters, quotes, and a byte
  /// order mark. A text that has none of them is returned as it is.
  static func trimmed(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard let first = scalars.first, let last = scalars.last, isTrimmed(first) || isTrimmed(last)
    else { return text }
    let head = scalars.drop(while: isTrimmed)
    guard let end = head.lastIndex(where: { !isTrimmed($0) }) else { return "" }
    return String(head[...end])
  }

  /// A text of a query, decoded again as often as some servers do.
  ///
  /// Example: `fil%65-1`, which a query has as `fil%2565-1`, is `file-1`.
  static func unescaped(_ text: String) -> String {
    var text = text
    for _ in 0..<mostEscapes where text.utf8.contains(UInt8(ascii: "%")) {
      guard let decoded = PercentEncoding.decode(text[...], plusIsSpace: true) else { break }
      text = decoded
    }
    return text
  }

  private static let mostEscapes = 2

  /// The texts with which a string begins that has something to trim. They have two bytes, as the
  /// search for beginnings needs.
  static let trimmedBeginnings: [String] = {
    let ids = (ObjectKind.forms + ObjectKind.formsOfAnswers).map(\.prefix)
    let marks = [" ", "\t", "\n", "\r", "\u{FEFF}", "\"", "'"]
    return marks.flatMap { mark in (ids + marks).map { mark + $0 } }
  }()

  private static func isTrimmed(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value <= 0x20 || scalar.value == 0xFEFF || scalar == "\"" || scalar == "'"
      || scalar.properties.isWhitespace
  }
}
