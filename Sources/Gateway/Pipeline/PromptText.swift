internal import JSON
internal import Logging

/// The words of a request, for the log of a client that has it switched on. They are bounded, and
/// contain no keys. Images, sound and files are left out.
struct PromptText {
  let text: String
  /// Whether there was more.
  let isCut: Bool

  /// Bytes of UTF-8 that are logged of one request.
  static let longest = 8192

  /// The members in which words stand, on the way from a body down to them.
  private static let members: Set<String> = [
    "messages", "input", "prompt", "instructions", "content", "text", "arguments", "output",
    "tool_calls", "function",
  ]

  /// Nil where the body isn't JSON or has no words.
  init?(of body: [UInt8], parser: JSONParser) {
    guard let root = try? parser.parse(body) else { return nil }
    var gathered: [UInt8] = []
    PromptText.gather(root, into: &gathered)
    guard !gathered.isEmpty else { return nil }
    isCut = gathered.count > PromptText.longest
    if isCut { gathered.removeSubrange(PromptText.endOfScalar(in: gathered)...) }
    text = String(decoding: KeyRedaction.apply(to: gathered), as: UTF8.self)
  }

  /// One text a line, until there is more than is wanted.
  private static func gather(_ value: JSONValue, into text: inout [UInt8]) {
    guard text.count <= longest else { return }
    switch value.kind {
    case .string:
      if !text.isEmpty { text.append(UInt8(ascii: "\n")) }
      let room = longest + 1 - text.count
      _ = value.withUTF8 { utf8 in
        for index in utf8.indices.prefix(max(0, room)) { text.append(utf8[index]) }
      }
    case .array:
      for element in value.elements { gather(element, into: &text) }
    case .object:
      for member in value.members where members.contains(member.key.string ?? "") {
        gather(member.value, into: &text)
      }
    default: break
    }
  }

  /// Where to cut, so that no scalar is cut in two.
  private static func endOfScalar(in text: [UInt8]) -> Int {
    var end = longest
    while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
    return end
  }
}
