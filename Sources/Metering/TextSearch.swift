extension String {
  /// Whether the bytes of `fragment` stand in this text. `contains` takes a microsecond, since it
  /// searches by characters; names of models and tools are ASCII.
  func hasFragment(_ fragment: String) -> Bool {
    var rest = utf8[...]
    while rest.count >= fragment.utf8.count {
      if rest.starts(with: fragment.utf8) { return true }
      rest.removeFirst()
    }
    return false
  }
}
