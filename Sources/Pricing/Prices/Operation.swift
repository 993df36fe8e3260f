/// The kind of work that a request asks for; `usage_logs.operation`.
public enum Operation: String, Sendable, Hashable, CaseIterable {
  case chat, responses, completion, embedding, transcription, translation, speech, image
  case moderation, batch, realtime

  /// The kinds of requests that may name a model declared for this kind.
  ///
  /// Example: `POST /v1/responses` may name a model declared for `chat`. A model declared for
  /// `transcription` also translates, and transcribes in realtime sessions.
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
