internal import JSON

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
      Array("ID3 \(piece)\ndata: [DONE]\n\n".utf8) + (0...255).map { $0 ^ UInt8(piece) }
        + Array(text.utf8)
    }
  }

  private static func events(_ request: MediaRequest) -> MediaAnswer {
    let characters = Int64(request.text.unicodeScalars.count)
    var pieces = (0..<pieceCount).map { _ in
      MediaAnswer.event(nil) {
        $0.member("type", "speech.audio.delta")
        $0.member("audio", "SUQzBAAA")
      }
    }
    pieces.append(
      MediaAnswer.event(nil) {
        $0.member("type", "speech.audio.done")
        $0.tokenUsage(
          input: SandboxUsage.promptTokens(textBytes: request.text.utf8.count, messageCount: 0),
          output: characters * tokensPerCharacter)
      })
    return MediaAnswer(MediaAnswer.events, pieces)
  }
}
