import JSON

extension JSONValue {
  /// Whether an object that metering reads has a key twice.
  ///
  /// Readers of JSON disagree on such an object: some take the first value, others the last. So
  /// nobody knows which usage the provider means, and the answer is charged its hold. Example:
  /// `{"usage":{…},"usage":{…}}`.
  ///
  /// Only objects with usage, tools or text are searched: an answer may repeat the request's
  /// metadata and schemas, which cost nothing.
  var isAmbiguousAnswer: Bool { hasRepeatedKey(everywhere: false) }

  /// - Parameter everywhere: Whether the objects of all members are searched, and not only those
  ///   that metering reads.
  private func hasRepeatedKey(everywhere: Bool) -> Bool {
    switch kind {
    case .object:
      if repeatedKey != nil { return true }
      for member in members {
        switch member.value.kind {
        case .object, .array: break
        default: continue
        }
        let isUsage = everywhere || member.hasKey(among: Self.usageKeys)
        guard isUsage || member.hasKey(among: Self.readKeys) else { continue }
        if member.value.hasRepeatedKey(everywhere: isUsage) { return true }
      }
      return false
    case .array: return elements.contains { $0.hasRepeatedKey(everywhere: everywhere) }
    default: return false
    }
  }

  /// The members whose every object is a quantity.
  private static let usageKeys: [StaticString] = [
    "usage", "x_groq", "usage_breakdown", "tool_usage", "svg_usage", "executed_tools",
  ]

  /// The members that hold objects with usage, calls of tools, or text; in a line of a batch's
  /// results, the answer itself.
  private static let readKeys: [StaticString] = [
    "response", "output", "item", "action", "environment", "choices", "message", "delta",
    "body",
  ]
}

extension JSONMember {
  fileprivate func hasKey(among keys: [StaticString]) -> Bool {
    keys.contains { hasKey($0) }
  }
}
