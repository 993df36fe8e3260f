/// The kind of work that a request asks for; `usage_logs.operation`.
public enum Operation: String, Sendable, Hashable, CaseIterable {
  case chat, responses, completion, embedding, transcription, translation, speech, image
  case moderation, batch, realtime

  /// The kinds of work for which requests name a model that a pricing file declares for this kind.
  ///
  /// Example: a model declared for `chat` is also asked by `POST /v1/responses`, and one declared
  /// for `transcription` also translates, and writes down what is said in a realtime session.
  public var kindsOfRequests: Set<Operation> {
    switch self {
    case .chat: [.chat, .responses]
    case .transcription: [.transcription, .translation, .realtime]
    case .responses, .completion, .embedding, .translation, .speech, .image, .moderation, .batch,
      .realtime:
      [self]
    }
  }
}
