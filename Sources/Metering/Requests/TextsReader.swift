import JSON

extension InputSize {
  /// Adds one or several texts that are processed separately: a string, an array of strings, the
  /// IDs of a text's tokens, or an array of such lists.
  mutating func add(texts value: JSONValue) {
    var elements = value.elements
    switch elements.next()?.kind {
    case .string, .array, .object:
      for text in value.elements { add(text: text) }
    default: add(text: value)
    }
  }

  private mutating func add(text: JSONValue) {
    messages += 1
    switch text.kind {
    case .string: textBytes += Int64(text.utf8Count ?? 0)
    case .array: tokens += text.elements.reduce(0) { count, _ in count + 1 }
    default: add(json: text)
    }
  }
}
