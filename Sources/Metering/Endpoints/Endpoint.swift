internal import HTTP
public import Pricing

/// Metering's description of one endpoint that costs money; an entry of the table in
/// Endpoints.swift.
public final class Endpoint: Sendable {
  public let method: String
  /// The path without a provider's prefix, as in `usage_logs.endpoint`.
  public let path: String
  public let operation: Operation
  /// The format of the request body, with the meaning of its members.
  let request: RequestFormat
  /// The bound of a request's output.
  let output: OutputBound
  /// The model of a request that names none; nil if a request must name one.
  let defaultModel: String?
  /// The tier that bills every request, for endpoints with their own prices; nil for others.
  let tier: String?
  /// Whether the provider keeps its answers unless the request says `store: false`. If false, the
  /// provider keeps an answer only if the request says `store: true`.
  public let keepsAnswers: Bool
  /// The way to request usage if answers have none by default; nil if that isn't needed.
  let usageRequest: UsageRequest?
  /// The type that reads an answer, whole or event by event.
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

  /// Returns the format of a body with this `Content-Type`.
  func format(contentType: String) -> RequestFormat {
    guard case .jsonOrForm(let members, let parts) = request else { return request }
    return MultipartForm.isFormType(contentType) ? .form(parts) : .json(members)
  }

  /// Whether a request can limit the number of calls of the provider's tools.
  var takesCallLimit: Bool {
    if case .json(let fields) = request { fields.values.contains(.callLimit) } else { false }
  }

  /// Whether Catraca can set an output limit in a request that has none.
  public var takesOutputLimit: Bool {
    if case .limited = output { true } else { false }
  }
}

/// The format of a request body.
enum RequestFormat: Sendable {
  /// A JSON object with the meaning of its members. A member that isn't listed counts as text that
  /// the model reads, so that members added by a provider later are bounded too.
  case json([String: RequestField])
  /// A form with the meaning of its parts. A part that isn't listed counts as text too.
  case form([String: FormField])
  /// Events over a WebSocket.
  case events
  /// Either JSON or a form, according to the media type.
  case jsonOrForm([String: RequestField], [String: FormField])
}

/// The meaning of a request body's member for metering.
enum RequestField: Sendable, Hashable {
  case model
  case stream
  case streamOptions
  /// An output limit in tokens. Of several limits, the largest is held, because providers differ in
  /// the one that they obey.
  case outputLimit
  case choices
  case serviceTier
  /// The client's own end user. Of several members, the one with the lowest precedence number
  /// counts.
  case user(precedence: Int)
  case metadata
  case modalities
  case reasoningEffort
  case webSearch
  /// The messages of a conversation.
  case messages
  /// Declarations of tools or functions.
  case tools
  /// The items that a response continues: text, messages, calls and their results.
  case items
  /// One or several texts, each as a string or as token IDs.
  case texts
  /// The number of answers that the provider makes. It returns the best of them.
  case candidates
  /// The limit of calls of the provider's tools.
  case callLimit
  /// The settings of a compound model, including its models.
  case compound
  /// An object that the provider keeps and the model reads.
  case reference
  /// Whether the provider makes the answer later.
  case background
  /// The time that the provider may take for a background response.
  case backgroundOptions
  /// The model's way of reasoning.
  case reasoning
  /// Whether several agents work on the answer.
  case agents
  /// The provider's way of shortening a context that grows too long.
  case contextManagement
  /// Whether the provider keeps the answer.
  case store
  /// Text that may be billed as output.
  case prediction
  /// Text to be spoken.
  case speech
  /// The value `sse` requests a stream.
  case streamFormat
  /// The number of images, their size and quality, and the number of drafts of each.
  case imageCount
  case imageSize
  case imageQuality
  case partialImages
  /// Pictures that the model sees.
  case pictures
  /// An app's name for a prompt cache at the account.
  case cacheName
  /// A member that the model never reads as text.
  case inert
}

/// The bound of one answer's output.
enum OutputBound: Sendable {
  /// The request's own limit, or else the model's largest output. If a budget can't pay for that,
  /// Catraca sets a limit in this member.
  case limited(member: StaticString)
  /// The request's own limit, or else the provider's default limit.
  case limitedByDefault(to: Int64)
  /// The model's largest output, because requests can't set a limit.
  case byModel
  /// Answers without tokens.
  case none
}

/// The way to request usage if a format has none by default.
enum UsageRequest: Sendable, Hashable {
  /// `stream_options.include_usage`, for streams.
  case streamOptions
}
