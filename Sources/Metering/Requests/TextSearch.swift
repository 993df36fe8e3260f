extension String {
  /// Whether the text contains the bytes of `fragment`. `contains` compares characters and takes a
  /// microsecond; names of models and tools are ASCII.
  func hasFragment(_ fragment: String) -> Bool {
    let (text, wanted) = (utf8.span, fragment.utf8.span)
    guard text.count >= wanted.count else { return false }
    for start in 0...text.count - wanted.count {
      var length = 0
      while length < wanted.count, text[start + length] == wanted[length] { length += 1 }
      if length == wanted.count { return true }
    }
    return false
  }
}
