internal import HTTP

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
