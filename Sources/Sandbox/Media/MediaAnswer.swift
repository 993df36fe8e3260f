/// An answer that isn't a chat: its type, and the pieces in which it is sent.
struct MediaAnswer {
  let contentType: StaticString
  let pieces: [[UInt8]]

  init(_ contentType: StaticString, _ pieces: [[UInt8]]) {
    self.contentType = contentType
    self.pieces = pieces
  }

  static func json(_ text: JSONText) -> MediaAnswer {
    MediaAnswer("application/json", [text.bytes])
  }

  static func text(_ text: String) -> MediaAnswer {
    MediaAnswer("text/plain; charset=utf-8", [Array(text.utf8)])
  }

  static func events(_ events: [[UInt8]]) -> MediaAnswer {
    MediaAnswer("text/event-stream; charset=utf-8", events)
  }
}

/// The answer to the images' endpoints: the same small picture for each image asked for, and a
/// usage.
enum SandboxImageAnswer {
  private static let picture = "iVBORw0KGgo="
  private static let tokensPerImage: Int64 = 1056
  private static let tokensPerPicture: Int64 = 323

  static func answer(to request: MediaRequest, isEdit: Bool, created: Int64) -> MediaAnswer {
    if request.isStreamed {
      return events(request, isEdit ? "image_edit" : "image_generation", created: created)
    }
    let image: JSONText = #"{"b64_json":\#(picture)}"#
    return .json(
      """
      {"created":\(created),"data":\(Array(repeating: image, count: request.count)),
      "usage":\(usage(request, images: Int64(request.count)))}
      """)
  }

  private static func events(
    _ request: MediaRequest, _ kind: String, created: Int64
  ) -> MediaAnswer {
    let partial: JSONText = """
      {"type":\(kind + ".partial_image"),"b64_json":\(picture),"partial_image_index":0}
      """
    let whole: JSONText = """
      {"type":\(kind + ".completed"),"b64_json":\(picture),"created_at":\(created),
      "usage":\(usage(request, images: 1))}
      """
    return .events(
      [partial.event(named: "\(kind).partial_image")]
        + Array(repeating: whole.event(named: "\(kind).completed"), count: request.count))
  }

  private static func usage(_ request: MediaRequest, images: Int64) -> JSONText {
    let text = SandboxUsage.promptTokens(textBytes: request.text.utf8.count, messageCount: 0)
    let pictures = request.hasFile ? tokensPerPicture : 0
    let (input, output) = (text + pictures, images * tokensPerImage)
    return """
      {"input_tokens":\(input),
      "input_tokens_details":{"text_tokens":\(text),"image_tokens":\(pictures)},
      "output_tokens":\(output),"total_tokens":\(input + output)}
      """
  }
}

/// The answer to `POST /audio/speech`: bytes in place of sound, or events with a usage.
enum SandboxSpeechAnswer {
  private static let pieceCount = 8
  private static let tokensPerCharacter: Int64 = 2

  static func answer(to request: MediaRequest) throws(ProviderError) -> MediaAnswer {
    guard !request.text.isEmpty else {
      throw ProviderError(
        status: 400, message: "Missing required parameter: 'input'.", param: "input")
    }
    return request.isStreamed ? events(request) : MediaAnswer("audio/mpeg", sound(request.text))
  }

  /// Pieces that contain every byte value, and text that looks like the end of a stream.
  private static func sound(_ text: String) -> [[UInt8]] {
    (0..<pieceCount).map { piece in
      Array("ID3 \(piece)\n".utf8) + JSONText.done + (0...255).map { $0 ^ UInt8(piece) }
        + Array(text.utf8)
    }
  }

  private static func events(_ request: MediaRequest) -> MediaAnswer {
    let delta: JSONText = #"{"type":"speech.audio.delta","audio":"SUQzBAAA"}"#
    let input = SandboxUsage.promptTokens(textBytes: request.text.utf8.count, messageCount: 0)
    let output = Int64(request.text.unicodeScalars.count) * tokensPerCharacter
    let end: JSONText = """
      {"type":"speech.audio.done","usage":{"input_tokens":\(input),"output_tokens":\(output),
      "total_tokens":\(input + output)}}
      """
    return .events(Array(repeating: delta.event, count: pieceCount) + [end.event])
  }
}
