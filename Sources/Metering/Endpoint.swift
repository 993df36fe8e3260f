public import Pricing

/// What metering knows of one endpoint that costs money; an entry of the table in Endpoints.swift.
public struct Endpoint: Sendable {
  public let method: String
  /// Without a provider's prefix, as in `usage_logs.endpoint`.
  public let path: String
  public let operation: Operation
  /// Which members of the request body matter, and how. A member that isn't listed counts as text
  /// that the model reads: what a provider adds tomorrow is bounded today.
  let fields: [String: RequestField]
  /// The member that limits the output, for requests that set no limit themselves.
  let outputLimit: StaticString
  /// How usage is asked for where an answer has none by itself.
  let usageRequest: UsageRequest
  /// Where usage appears in an answer.
  let answer: AnswerFormat
}

/// What a member of a request body means to metering.
enum RequestField: Sendable, Hashable {
  case model
  case stream
  case streamOptions
  /// A limit of the output in tokens; of several the one with the lowest precedence number counts.
  case outputLimit(precedence: Int)
  case choices
  case serviceTier
  /// Who the client's own end user is; precedence as for `outputLimit`.
  case user(precedence: Int)
  case metadata
  case modalities
  case reasoningEffort
  case webSearch
  /// The messages of a conversation.
  case messages
  /// Declarations of tools or functions.
  case tools
  /// Text that may be billed as output.
  case prediction
  /// Never read by the model as text.
  case inert
}

/// How usage is asked for where a format has none by itself.
enum UsageRequest: Sendable, Hashable {
  /// `stream_options.include_usage`, for streams.
  case streamOptions
}

/// Where an answer has its usage, its model and its text.
enum AnswerFormat: Sendable, Hashable {
  /// A chat completion, or a stream of its chunks.
  case chatCompletion
}
