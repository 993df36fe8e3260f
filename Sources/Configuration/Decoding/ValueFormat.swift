/// The format of a YAML value: its allowed values, its reader, and its text form.
///
/// Formats are composed of smaller ones (`.list(of: .listenAddress)`). A setting names its format,
/// so that the message about a mistake always states what the parser accepts.
struct ValueFormat<Value> {
  /// The allowed values, for the message after `allowed: `.
  let allowed: String
  /// Reads a node that isn't null. If it returns nil, it has reported a mistake that begins with
  /// the key.
  let read: (_ node: YAMLNode, _ key: String, _ context: DecodingContext) -> Value?
  /// Returns the value as the reference and the log show it.
  let text: (Value) -> String

  init(
    allowed: String,
    text: @escaping (Value) -> String,
    read: @escaping (_ node: YAMLNode, _ key: String, _ context: DecodingContext) -> Value?
  ) {
    self.allowed = allowed
    self.text = text
    self.read = read
  }

  /// A format of single values, plain or quoted: the text counts exactly as written.
  ///
  /// - Parameter isConfidential: Whether a wrong value may be a misplaced secret. The message then
  ///   doesn't repeat it.
  static func scalar(
    _ allowed: String, isConfidential: Bool = false,
    text: @escaping (Value) -> String = { "\($0)" },
    parse: @escaping (String) -> Value?
  ) -> ValueFormat {
    ValueFormat(allowed: allowed, text: text) { node, key, context in
      guard case .scalar(let written, _) = node.content else {
        context.mistake(node.mark, "\(key): \(node.kindName) is not valid; allowed: \(allowed)")
        return nil
      }
      if let value = parse(written) { return value }
      let shown = isConfidential ? "this value" : quoted(written)
      context.mistake(node.mark, "\(key): \(shown) is not valid; allowed: \(allowed)")
      return nil
    }
  }

  /// A format that files share with other doors.
  static func scalar(
    _ format: TextFormat<Value>, text: @escaping (Value) -> String = { "\($0)" }
  ) -> ValueFormat {
    .scalar(format.allowed, text: text, parse: format.parse)
  }

  /// A list. Wrong items are reported and left out.
  static func list<Item>(
    of item: ValueFormat<Item>, count range: ClosedRange<Int> = 0...1000
  ) -> ValueFormat where Value == [Item] {
    let allowed = "a list, each item \(item.allowed)"
    let text: ([Item]) -> String = { items in
      "[\(items.map(item.text).joined(separator: ", "))]"
    }
    return ValueFormat(allowed: allowed, text: text) { node, key, context in
      guard case .sequence(let nodes) = node.content else {
        context.mistake(node.mark, "\(key): \(node.kindName) is not valid; allowed: \(allowed)")
        return nil
      }
      guard range.contains(nodes.count) else {
        context.mistake(
          node.mark,
          "\(key): a list of \(nodes.count) is not valid; allowed: \(range.lowerBound) to "
            + "\(range.upperBound) items")
        return nil
      }
      return nodes.compactMap { item.read($0, key, context) }
    }
  }

  /// A mapping with fixed keys, which `decode` reads.
  static func section(_ decode: @escaping (inout Section) -> Value?) -> ValueFormat {
    ValueFormat(allowed: "a mapping", text: { "\($0)" }) { node, key, context in
      Section.read(node, key, context, decode)
    }
  }
}

/// Returns `text` in quotes, shortened if it is long.
func quoted(_ text: String) -> String {
  let longest = 60
  return text.count <= longest ? "\"\(text)\"" : "\"\(text.prefix(longest))…\""
}
