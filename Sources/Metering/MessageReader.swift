import JSON

extension InputSize {
  /// Adds JSON that the model reads as such, or of which nothing is known: every string, key and
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
        // Covered by what is added for each message, as long as it is a role.
        textBytes += max(0, Int64(member.value.size.stringBytes) - InputSize.longestRole)
      } else if member.hasKey("tool_calls") {
        parts += Int64(member.value.elements.reduce(0) { count, _ in count + 1 })
        add(json: member.value)
      } else if member.hasKey("audio"), !member.value.isNull {
        // It refers to what was said before, of a length that isn't known here.
        isOpenEnded = true
      } else if !member.value.isNull {
        add(json: member.value)
      }
    }
  }

  /// `assistant` and `developer`.
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

  /// Of chat completions, of the Responses API and of decisions.
  private static let boundedPartTypes: [StaticString] = [
    "text", "refusal", "image_url", "input_audio",
    "input_text", "output_text", "summary_text", "reasoning_text", "input_image",
    "input_json",
  ]

  private static func isBounded(partType: JSONValue) -> Bool {
    boundedPartTypes.contains { partType.isString($0) }
  }

  /// Adds an image, which counts by its detail: neither its address nor its bytes are text.
  private mutating func add(image: JSONValue) throws(MeteringError) {
    try image.checkKeys()
    if image["detail"]?.isString("low") == true { lowDetailImages += 1 } else { images += 1 }
  }

  /// Adds a sound, which counts by the longest time that so many bytes can last.
  private mutating func add(audio: JSONValue) throws(MeteringError) {
    try audio.checkKeys()
    var bytes: Int64 = 0
    var isWave = false
    for member in audio.members {
      if member.hasKey("data") {
        bytes += Int64(member.value.utf8Count ?? 0) / 4 * 3 + 3
      } else if member.hasKey("format") {
        isWave = member.value.isString("wav")
      }
    }
    let bytesPerSecond = isWave ? InputSize.slowestWave : InputSize.slowestSound
    audioMilliseconds += (bytes * 1000 + bytesPerSecond - 1) / bytesPerSecond
  }

  /// Bytes a second of a WAV file at 8 kHz and four bits, the slowest in use.
  private static let slowestWave: Int64 = 4000
  /// Bytes a second of compressed speech at 8 kbit/s, the slowest in use.
  private static let slowestSound: Int64 = 1000
}
