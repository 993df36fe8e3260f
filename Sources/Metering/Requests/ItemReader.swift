import JSON

extension InputSize {
  /// Adds the input of a response: a text, or items such as messages, calls and their results.
  mutating func add(items value: JSONValue) throws(MeteringError) {
    guard value.kind == .array else {
      messages += 1
      return try add(content: value)
    }
    for item in value.elements {
      messages += 1
      if item.kind == .object { try add(item: item) } else { add(json: item) }
    }
  }

  private mutating func add(item: JSONValue) throws(MeteringError) {
    try item.checkKeys()
    guard let type = item["type"], !type.isNull, !type.isString("message") else {
      return try add(message: item)
    }
    if InputSize.resultTypes.contains(where: { type.isString($0) }) {
      for member in item.members {
        if member.hasKey("output") {
          try add(content: member.value)
        } else {
          add(json: member.value)
        }
      }
      return
    }
    // What other items stand for is kept by the provider, or found by it.
    if !InputSize.writtenTypes.contains(where: { type.isString($0) }) { isOpenEnded = true }
    add(json: item)
  }

  /// Results of calls, whose `output` is a text or has parts like a message.
  private static let resultTypes: [StaticString] = [
    "function_call_output", "custom_tool_call_output",
  ]

  /// Items of which the model reads no more than what stands there.
  private static let writtenTypes: [StaticString] = [
    "function_call", "custom_tool_call", "reasoning",
  ]
}
