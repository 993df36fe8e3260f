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

/// A service tier, independent of the provider's name for it.
enum ServiceTier: Hashable {
  /// The model's own prices.
  case base
  /// A tier with its own prices, by its name in the pricing file.
  case named(String)

  /// Reads a name of the base tier, `fast` for `priority`, or a tier's own name.
  init(_ name: String?) {
    switch name {
    case nil, "default", "auto", "on_demand", "standard": self = .base
    case "fast": self = .priority
    case let name?: self = .named(name)
    }
  }

  static let priority = ServiceTier.named("priority")
  static let batch = ServiceTier.named("batch")

  var name: String? {
    switch self {
    case .base: nil
    case .named(let name): name
    }
  }
}

/// Checks that `name` fits on a line of a record.
/// - Throws: `PricingError.invalidName` if it is empty or has control characters.
func checkName(_ name: String) throws(PricingError) {
  let isPlain = name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  guard !name.isEmpty, isPlain else { throw .invalidName(name) }
}
