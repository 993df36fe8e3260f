import JSON

extension InputSize {
  /// Adds the input of a response: a text, or a list of messages, calls and results of calls.
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
    // The provider keeps or finds the content of all other items.
    if !InputSize.writtenTypes.contains(where: { type.isString($0) }) { isOpenEnded = true }
    add(json: item)
  }

  /// Results of calls, whose `output` is a text or has parts like a message.
  private static let resultTypes: [StaticString] = [
    "function_call_output", "custom_tool_call_output",
  ]

  /// The types of items whose text in the request is all that the model reads.
  private static let writtenTypes: [StaticString] = [
    "function_call", "custom_tool_call", "reasoning",
  ]
}
