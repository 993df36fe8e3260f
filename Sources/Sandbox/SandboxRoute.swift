internal import HTTP

/// The purpose of a request to the sandbox.
enum SandboxRoute: Equatable {
  case models(SandboxProviderDialect)
  case model(SandboxProviderDialect, id: String)
  case chatCompletions(SandboxProviderDialect)
  case inputTokens(SandboxProviderDialect)
  case speech(SandboxProviderDialect)
  case transcription(SandboxProviderDialect, isTranslation: Bool)
  case image(SandboxProviderDialect, isEdit: Bool)
  case text(TextEndpoint, SandboxProviderDialect)
  case response(SandboxProviderDialect, id: String)
  case cancelResponse(SandboxProviderDialect, id: String)
  case upload(SandboxProviderDialect)
  case file(SandboxProviderDialect, id: String, isContent: Bool)
  case submitBatch(SandboxProviderDialect)
  case batch(SandboxProviderDialect, id: String)
  case cancelBatch(SandboxProviderDialect, id: String)
  case organization(SandboxOrganizationReport.Part)
  case realtime
  case readJournal
  case clearJournal
  case health
  /// No call has this path and method.
  case unknown

  init(method: Method, path: String) {
    switch (method, path) {
    case (.get, "/healthz"), (.head, "/healthz"): self = .health
    case (.get, "/sandbox/journal"): self = .readJournal
    case (.delete, "/sandbox/journal"): self = .clearJournal
    default:
      if let rest = SandboxRoute.rest(of: path, after: "/openai/v1") {
        self.init(.groq, method: method, path: rest)
      } else if let rest = SandboxRoute.rest(of: path, after: "/v1") {
        self.init(.openAI, method: method, path: rest)
      } else {
        self = .unknown
      }
    }
  }

  private init(_ dialect: SandboxProviderDialect, method: Method, path: String) {
    if method == .post, let endpoint = TextEndpoint(dialect, path: path) {
      self = .text(endpoint, dialect)
      return
    }
    if let id = SandboxRoute.rest(of: path, after: "/responses/"), !id.isEmpty, method != .delete {
      self.init(dialect, method: method, response: id)
      return
    }
    if method == .get, dialect == .openAI,
      let name = SandboxRoute.rest(of: path, after: "/organization/"),
      let part = SandboxOrganizationReport.Part(rawValue: name)
    {
      self = .organization(part)
      return
    }
    if let kept = SandboxRoute.kept(dialect, method: method, path: path) {
      self = kept
      return
    }
    switch (method, path) {
    case (.get, "/realtime") where dialect == .openAI: self = .realtime
    case (.get, "/models"), (.head, "/models"): self = .models(dialect)
    case (.post, "/chat/completions"): self = .chatCompletions(dialect)
    case (.post, "/audio/speech"): self = .speech(dialect)
    case (.post, "/audio/transcriptions"): self = .transcription(dialect, isTranslation: false)
    case (.post, "/audio/translations"): self = .transcription(dialect, isTranslation: true)
    case (.post, "/images/generations"): self = .image(dialect, isEdit: false)
    case (.post, "/images/edits"), (.post, "/images/variations"):
      self = .image(dialect, isEdit: true)
    case (.get, _), (.head, _):
      guard let id = SandboxRoute.rest(of: path, after: "/models/"), !id.isEmpty else {
        self = .unknown
        return
      }
      self = .model(dialect, id: id)
    default: self = .unknown
    }
  }

  /// - Parameter rest: the path behind `/responses/`.
  private init(_ dialect: SandboxProviderDialect, method: Method, response rest: String) {
    let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
    switch (method, parts.count) {
    case (.post, 1) where rest == "input_tokens": self = .inputTokens(dialect)
    case (.get, 1): self = .response(dialect, id: rest)
    case (.post, 2) where parts[1] == "cancel":
      self = .cancelResponse(dialect, id: String(parts[0]))
    default: self = .unknown
    }
  }

  /// The route of a call about files and batches; nil for other calls.
  private static func kept(
    _ dialect: SandboxProviderDialect, method: Method, path: String
  ) -> SandboxRoute? {
    let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    let id = parts.count > 1 ? String(parts[1]) : ""
    let action = parts.count == 3 ? String(parts[2]) : nil
    return switch (method, parts.first, parts.count, action) {
    case (.post, "files", 1, nil): .upload(dialect)
    case (.get, "files", 2, nil): .file(dialect, id: id, isContent: false)
    case (.get, "files", 3, "content"): .file(dialect, id: id, isContent: true)
    case (.post, "batches", 1, nil): .submitBatch(dialect)
    case (.get, "batches", 2, nil): .batch(dialect, id: id)
    case (.post, "batches", 3, "cancel"): .cancelBatch(dialect, id: id)
    default: nil
    }
  }

  /// The provider whose shape the answer has; OpenAI's if the call belongs to no provider.
  var dialect: SandboxProviderDialect {
    switch self {
    case .models(let dialect), .model(let dialect, _), .chatCompletions(let dialect),
      .inputTokens(let dialect), .text(_, let dialect), .speech(let dialect),
      .transcription(let dialect, _), .image(let dialect, _), .response(let dialect, _),
      .cancelResponse(let dialect, _), .upload(let dialect), .file(let dialect, _, _),
      .submitBatch(let dialect), .batch(let dialect, _), .cancelBatch(let dialect, _):
      dialect
    case .organization, .realtime, .readJournal, .clearJournal, .health, .unknown: .openAI
    }
  }

  private static func rest(of path: String, after prefix: String) -> String? {
    path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : nil
  }
}

/// The provider whose answers the sandbox imitates. The two answer the same call in different
/// shapes.
enum SandboxProviderDialect: Hashable, Sendable {
  /// Paths below `/v1`.
  case openAI
  /// Paths below `/openai/v1`, as at `https://api.groq.com`.
  case groq

  /// The tier that is reported if the request names none.
  var defaultServiceTier: String {
    switch self {
    case .openAI: "default"
    case .groq: "on_demand"
    }
  }

  var owner: String {
    switch self {
    case .openAI: "openai"
    case .groq: "groq"
    }
  }

  /// The models listed under `/models`. The sandbox also answers for any other model.
  var models: [String] {
    switch self {
    case .openAI: ["gpt-4o", "gpt-4o-mini", "gpt-5", "gpt-5-mini"]
    case .groq: ["llama-3.1-8b-instant", "llama-3.3-70b-versatile", "openai/gpt-oss-20b"]
    }
  }

  /// The fields that this provider adds to every answer. `number` is the request's id.
  func fields(number: Int64) -> HeaderFields {
    var fields = HeaderFields()
    fields.append("x-request-id", Int(number))
    fields.append("x-ratelimit-limit-requests", 10_000)
    fields.append("x-ratelimit-remaining-requests", 9_999)
    fields.append("x-ratelimit-reset-requests", constant: "8.64s")
    switch self {
    case .openAI:
      fields.append("openai-processing-ms", 1)
      fields.append("openai-version", constant: "2020-10-01")
    case .groq:
      fields.append("x-groq-region", constant: "sandbox")
    }
    return fields
  }
}
