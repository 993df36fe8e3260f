import Audio
import JSON

extension InputSize {
  /// Adds JSON that the model reads as such, or whose meaning isn't known. Every string, key and
  /// number in it counts.
  mutating func add(json value: JSONValue) {
    let size = value.size
    textBytes += Int64(size.stringBytes)
    nodes += Int64(size.nodes)
    numbers += Int64(size.numbers)
  }

  /// Adds the messages of a conversation.
  mutating func add(messages value: JSONValue) throws(MeteringError) {
    guard value.kind == .array else { return add(json: value) }
    for message in value.elements {
      messages += 1
      if message.kind == .object { try add(message: message) } else { add(json: message) }
    }
  }

  mutating func add(message: JSONValue) throws(MeteringError) {
    try message.checkKeys()
    for member in message.members {
      if member.hasKey("content") {
        try add(content: member.value)
      } else if member.hasKey("role") {
        // The overhead of each message covers the member, as long as it is a role.
        textBytes += max(0, Int64(member.value.size.stringBytes) - InputSize.longestRole)
      } else if member.hasKey("tool_calls") {
        parts += Int64(member.value.elements.reduce(0) { count, _ in count + 1 })
        add(json: member.value)
      } else if member.hasKey("audio"), !member.value.isNull {
        // The member refers to earlier speech of unknown length.
        isOpenEnded = true
      } else if !member.value.isNull {
        add(json: member.value)
      }
    }
  }

  /// The length of `assistant` and `developer`.
  private static let longestRole: Int64 = 9

  mutating func add(content: JSONValue) throws(MeteringError) {
    switch content.kind {
    case .string: textBytes += Int64(content.utf8Count ?? 0)
    case .array:
      for part in content.elements {
        parts += 1
        if part.kind == .object { try add(part: part) } else { add(json: part) }
      }
    case .null: break
    default: add(json: content)
    }
  }

  private mutating func add(part: JSONValue) throws(MeteringError) {
    try part.checkKeys()
    for member in part.members {
      if member.hasKey("type") {
        if !InputSize.isBounded(partType: member.value) { isOpenEnded = true }
      } else if member.hasKey("text"), let bytes = member.value.utf8Count {
        textBytes += Int64(bytes)
      } else if member.hasKey("file_id"), part["type"]?.isString("input_image") == true {
        images += 1
      } else if member.hasKey("image_url") {
        try add(image: member.value)
      } else if member.hasKey("input_audio") {
        try add(audio: member.value)
      } else if member.hasKey("file") {
        isOpenEnded = true
      } else {
        add(json: member.value)
      }
    }
  }

  /// The part types of chat completions, of the Responses API and of decisions.
  private static let boundedPartTypes: [StaticString] = [
    "text", "refusal", "image_url", "input_audio",
    "input_text", "output_text", "summary_text", "reasoning_text", "input_image",
    "input_json",
  ]

  private static func isBounded(partType: JSONValue) -> Bool {
    boundedPartTypes.contains { partType.isString($0) }
  }

  /// Adds an image, which counts by its detail. Neither its address nor its bytes are text.
  private mutating func add(image: JSONValue) throws(MeteringError) {
    try image.checkKeys()
    if image["detail"]?.isString("low") == true { lowDetailImages += 1 } else { images += 1 }
  }

  /// Adds a sound, which counts by the longest duration that a decoder can make of it. The stated
  /// format is ignored, because the bytes show it.
  private mutating func add(audio: JSONValue) throws(MeteringError) {
    try audio.checkKeys()
    for member in audio.members where member.hasKey("data") {
      let data = member.value.string ?? ""
      if let bytes = Base64.decoded(data) {
        audioMilliseconds += AudioLength(ofFile: bytes.span).bound
      } else {
        audioMilliseconds +=
          Int64(data.utf8.count) * AudioDuration.longestMillisecondsPerByte
      }
    }
  }
}

/// Decodes base64 (RFC 4648, section 4).
private enum Base64 {
  /// Returns nil for text that readers could decode differently: with other characters, or with
  /// padding anywhere but at the end.
  static func decoded(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 4 * 3 + 3)
    var bits: UInt32 = 0
    var count = 0
    var isPadding = false
    for character in text.utf8 {
      if character == UInt8(ascii: "=") {
        isPadding = true
        continue
      }
      guard !isPadding, let value = value(of: character) else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return bytes
  }

  private static func value(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}

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
