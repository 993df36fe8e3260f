/// A text from outside, cut to the length that a span keeps, so that waiting spans are bounded.
public struct SpanText: Hashable, Sendable {
  let text: String

  /// The longest text, in bytes of UTF-8.
  static let longest = 256

  public init(_ text: String) {
    guard text.utf8.count > SpanText.longest else {
      self.text = text
      return
    }
    var end = text.utf8.index(text.startIndex, offsetBy: SpanText.longest)
    while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    self.text = String(text[..<end])
  }
}
