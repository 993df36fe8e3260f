internal import JSON

/// An answer that isn't a chat: its type, and the pieces in which it is sent.
struct MediaAnswer {
  let contentType: StaticString
  let pieces: [[UInt8]]

  static let events: StaticString = "text/event-stream; charset=utf-8"
  static let text: StaticString = "text/plain; charset=utf-8"

  init(_ contentType: StaticString, _ pieces: [[UInt8]]) {
    self.contentType = contentType
    self.pieces = pieces
  }

  /// A JSON object; `write` writes its members.
  static func json(_ write: (inout JSONWriter) -> Void) -> MediaAnswer {
    MediaAnswer("application/json", [object(write)])
  }

  /// An event of a stream; nil for an event without a name.
  static func event(_ name: String?, _ write: (inout JSONWriter) -> Void) -> [UInt8] {
    let line = name.map { "event: \($0)\n" } ?? ""
    return Array("\(line)data: ".utf8) + object(write) + Array("\n\n".utf8)
  }

  private static func object(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { write(&$0) }
    return writer.bytes
  }
}

extension JSONWriter {
  /// Writes `"usage": {…}` in tokens. A detail whose name is nil is left out.
  mutating func tokenUsage(
    input: Int64, output: Int64, type: String? = nil, details: String? = nil, text: Int64 = 0,
    other: (name: String, count: Int64)? = nil
  ) {
    member("usage") { usage in
      usage.object { object in
        if let type { object.member("type", type) }
        object.member("input_tokens", input)
        if let details, let other {
          object.member(details) { value in
            value.object {
              $0.member("text_tokens", text)
              $0.member(other.name, other.count)
            }
          }
        }
        object.member("output_tokens", output)
        object.member("total_tokens", input + output)
      }
    }
  }

  /// Writes a number of seconds with three decimals.
  mutating func seconds(milliseconds: Int64) {
    let digits = String(milliseconds % 1000)
    let zeros = String(repeating: "0", count: 3 - digits.count)
    raw("\(milliseconds / 1000).\(zeros)\(digits)".utf8)
  }
}
