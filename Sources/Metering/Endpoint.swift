public import Pricing

/// What metering knows of one endpoint that costs money; an entry of the table in Endpoints.swift.
public struct Endpoint: Sendable {
  public let method: String
  /// Without a provider's prefix, as in `usage_logs.endpoint`.
  public let path: String
  public let operation: Operation
  /// How the body of a request is written, and what in it matters.
  let request: RequestFormat
  /// What bounds the output of a request.
  let output: OutputBound
  /// How usage is asked for where an answer has none by itself; nil where that isn't needed.
  var usageRequest: UsageRequest?
  /// What reads an answer, whole or event by event.
  let answer: any AnswerReader.Type
}

/// How the body of a request is written.
enum RequestFormat: Sendable {
  /// A JSON object, with what its members mean. A member that isn't listed counts as text that the
  /// model reads: what a provider adds tomorrow is bounded today.
  case json([String: RequestField])
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

/// What bounds the output of one answer.
enum OutputBound: Sendable {
  /// The request's own limit, else the model's largest output, else the limit that is set as this
  /// member where a budget can't pay for so much.
  case limited(member: StaticString)
  /// The request's own limit, else what the provider takes for a request without one.
  case limitedByDefault(to: Int64)
  /// Answers have no tokens.
  case none
}

/// How usage is asked for where a format has none by itself.
enum UsageRequest: Sendable, Hashable {
  /// `stream_options.include_usage`, for streams.
  case streamOptions
}
