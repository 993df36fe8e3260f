internal import HTTP
public import Pricing

/// What metering knows of one endpoint that costs money; an entry of the table in Endpoints.swift.
public final class Endpoint: Sendable {
  public let method: String
  /// Without a provider's prefix, as in `usage_logs.endpoint`.
  public let path: String
  public let operation: Operation
  /// How the body of a request is written, and what in it matters.
  let request: RequestFormat
  /// What bounds the output of a request.
  let output: OutputBound
  /// The model of a request that names none; nil where it must name one.
  let defaultModel: String?
  /// The tier at whose prices each request is billed, for endpoints that have prices of their own.
  let tier: String?
  /// Whether the provider keeps what it answers unless the request says `store: false`; if not, it
  /// keeps it only for `store: true`.
  public let keepsAnswers: Bool
  /// How usage is asked for where an answer has none by itself; nil where that isn't needed.
  let usageRequest: UsageRequest?
  /// What reads an answer, whole or event by event.
  let answer: any AnswerReader.Type

  init(
    method: String, path: String, operation: Operation, request: RequestFormat,
    output: OutputBound, defaultModel: String? = nil, tier: String? = nil,
    keepsAnswers: Bool = false, usageRequest: UsageRequest? = nil,
    answer: any AnswerReader.Type
  ) {
    self.method = method
    self.path = path
    self.operation = operation
    self.request = request
    self.output = output
    self.defaultModel = defaultModel
    self.tier = tier
    self.keepsAnswers = keepsAnswers
    self.usageRequest = usageRequest
    self.answer = answer
  }

  /// Whether a body with this `Content-Type` is read as a JSON object.
  public func readsJSON(contentType: String) -> Bool {
    if case .json = format(contentType: contentType) { true } else { false }
  }

  /// How a body with this `Content-Type` is read.
  func format(contentType: String) -> RequestFormat {
    guard case .jsonOrForm(let members, let parts) = request else { return request }
    return MultipartForm.isFormType(contentType) ? .form(parts) : .json(members)
  }

  /// Whether a request can limit how often the provider calls its tools.
  var takesCallLimit: Bool {
    if case .json(let fields) = request { fields.values.contains(.callLimit) } else { false }
  }

  /// Whether a request that sets no limit of its output can be given one.
  public var takesOutputLimit: Bool {
    if case .limited = output { true } else { false }
  }
}

/// How the body of a request is written.
enum RequestFormat: Sendable {
  /// A JSON object, with what its members mean. A member that isn't listed counts as text that the
  /// model reads: what a provider adds tomorrow is bounded today.
  case json([String: RequestField])
  /// A form, with what its parts mean. A part that isn't listed counts as text likewise.
  case form([String: FormField])
  /// Events over a WebSocket.
  case events
  /// Either of them, told by the media type.
  case jsonOrForm([String: RequestField], [String: FormField])
}

/// What a member of a request body means to metering.
enum RequestField: Sendable, Hashable {
  case model
  case stream
  case streamOptions
  /// A limit of the output in tokens. Providers differ in which of several they obey, so the
  /// largest is held.
  case outputLimit
  case choices
  case serviceTier
  /// Who the client's own end user is; of several the one with the lowest precedence number counts.
  case user(precedence: Int)
  case metadata
  case modalities
  case reasoningEffort
  case webSearch
  /// The messages of a conversation.
  case messages
  /// Declarations of tools or functions.
  case tools
  /// The items that a response is to continue: text, messages, calls and their results.
  case items
  /// One text or several, each as a string or as the ids of its tokens.
  case texts
  /// How many answers are made of which the best are returned.
  case candidates
  /// How often tools of the provider may be called.
  case callLimit
  /// What a compound model is to use, models among it.
  case compound
  /// Something that the provider keeps, and the model reads.
  case reference
  /// Whether the answer is to be made later.
  case background
  /// How long the provider may take for it.
  case backgroundOptions
  /// How the model reasons.
  case reasoning
  /// Whether several agents work on the answer.
  case agents
  /// How the provider shortens a context that grows too long.
  case contextManagement
  /// Whether the provider is to keep the answer.
  case store
  /// Text that may be billed as output.
  case prediction
  /// Text to be spoken.
  case speech
  /// `sse` asks for a stream.
  case streamFormat
  /// How many images are to be made, of which size and quality, and how many drafts of each.
  case imageCount
  case imageSize
  case imageQuality
  case partialImages
  /// Pictures that the model sees.
  case pictures
  /// What an app calls a cache of prompts at the account.
  case cacheName
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
  /// The model's largest output: requests can't set a limit.
  case byModel
  /// Answers have no tokens.
  case none
}

/// How usage is asked for where a format has none by itself.
enum UsageRequest: Sendable, Hashable {
  /// `stream_options.include_usage`, for streams.
  case streamOptions
}
