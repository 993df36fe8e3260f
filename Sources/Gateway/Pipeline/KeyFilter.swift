internal import Configuration
internal import HTTP
internal import HTTPServer

/// Takes a provider's key out of a body that passes piece by piece.
///
/// If a piece ends with what may be the beginning of the key, that end is kept until the next piece
/// shows whether it is.
struct KeyFilter {
  private let provider: Provider
  private var held: [UInt8] = []

  init(of provider: Provider) {
    self.provider = provider
  }

  /// Replaces a piece by what may pass now, which may be nothing.
  mutating func filter(_ piece: inout [UInt8]) {
    if !held.isEmpty {
      piece = held + piece
      held = []
    }
    let end = provider.apiKey?.unfinished(in: piece.span) ?? piece.count
    if end < piece.count {
      held = Array(piece[end...])
      piece.removeSubrange(end...)
    }
    provider.takeKeyOut(of: &piece)
  }

  /// The bytes that are still held back, at the end of the body.
  mutating func takeRest() -> [UInt8] {
    defer { held = [] }
    provider.takeKeyOut(of: &held)
    return held
  }
}

extension Provider {
  /// Whether bytes show the key.
  func showsKey(in bytes: Span<UInt8>) -> Bool { apiKey?.isShown(in: bytes) ?? false }

  /// Takes the key out of bytes, if they show it.
  ///
  /// - Returns: whether they did.
  @discardableResult
  func takeKeyOut(of bytes: inout [UInt8]) -> Bool {
    guard let apiKey, apiKey.isShown(in: bytes.span) else { return false }
    bytes = ProviderKeyRedaction(of: [self]).redacted(bytes)
    return true
  }
}

extension RequestPipeline {
  /// A provider's answer as the app gets it: as it came, or without the provider's key. A coded one
  /// goes on decoded if it shows the key.
  @inline(never)
  func answer(
    _ status: Int, _ fields: HeaderFields, _ body: [UInt8], from provider: Provider
  ) -> HTTPAnswer {
    var answer = HTTPAnswer(head: ResponseHead(status: status, fields: fields), body: body)
    let coding = BodyCoding(fields)
    if var text = coding.text(of: body, atMost: UnmeteredForwarding.largestAnswer) {
      if provider.takeKeyOut(of: &text) {
        answer.body = text
        answer.head.fields.remove(.contentEncoding)
      }
    } else {
      // Some providers say of plain text that it is coded.
      provider.takeKeyOut(of: &answer.body)
    }
    return answer
  }
}
