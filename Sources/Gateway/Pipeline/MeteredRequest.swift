internal import Budgets
internal import Configuration
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Metering
internal import Pricing

/// A request that costs money, after its body was read: its identity, its facts and its body.
///
/// A class, because all that carries the request on keeps it: copies of these fields would make up
/// most of the memory of a stream at rest.
final class MeteredRequest {
  let identity: Identity
  let endpoint: Endpoint
  let facts: RequestFacts
  /// Members of `facts` that are read so often that copying the facts each time would be costly.
  let outlivesAnswer: Bool
  let growsWithTime: Bool
  /// Empty once it was taken.
  private(set) var body: [UInt8]
  /// The provider that the path names, if it names one.
  let providerName: String?
  /// The client's own end user: from the header, else from the body.
  let user: String?
  let conversation: String?
  let agent: String?
  /// A JSON object, as the client sent it.
  let metadata: String?
  /// The ids of `facts.itemIDs` that the client doesn't own, so that the provider doesn't get them.
  var foreignItemIDs: Set<String> = []

  /// The most bytes of `X-Catraca-Metadata`.
  private static let largestMetadata = 4096

  /// Whether the body is read as JSON, and not as a form.
  let isJSON: Bool

  /// Reads what the body asks for, and checks that the key may be used for that.
  init(
    for pipeline: RequestPipeline, identity: Identity, endpoint: Endpoint, providerName: String?,
    body: [UInt8]
  ) throws(Refusal) {
    self.identity = identity
    self.endpoint = endpoint
    self.providerName = providerName
    self.body = body
    let fields = pipeline.exchange.head.fields
    let contentType = fields.first(.contentType) ?? ""
    isJSON = endpoint.readsJSON(contentType: contentType)
    let facts: RequestFacts
    do throws(MeteringError) {
      facts = try RequestFacts.read(
        body, contentType: contentType, endpoint: endpoint, parser: pipeline.resources.parser)
    } catch {
      throw .unreadable(error)
    }
    outlivesAnswer = facts.outlivesAnswer
    growsWithTime = facts.growsWithTime
    user = try MeteredRequest.identifier(.catracaUser, in: fields) ?? facts.user
    conversation =
      try MeteredRequest.identifier(.catracaConversation, in: fields) ?? facts.conversation
    agent = try MeteredRequest.identifier(.catracaAgent, in: fields)
    metadata = try MeteredRequest.readMetadata(of: fields, pipeline.resources.parser)
    try identity.check(facts)
    self.facts = facts
  }

  /// A request whose facts don't stand in its body.
  init(
    for pipeline: RequestPipeline, identity: Identity, endpoint: Endpoint, providerName: String?,
    facts: RequestFacts
  ) throws(Refusal) {
    self.identity = identity
    self.endpoint = endpoint
    self.providerName = providerName
    self.facts = facts
    outlivesAnswer = facts.outlivesAnswer
    growsWithTime = facts.growsWithTime
    body = []
    isJSON = false
    let fields = pipeline.exchange.head.fields
    user = try MeteredRequest.identifier(.catracaUser, in: fields)
    conversation = try MeteredRequest.identifier(.catracaConversation, in: fields)
    agent = try MeteredRequest.identifier(.catracaAgent, in: fields)
    metadata = try MeteredRequest.readMetadata(of: fields, pipeline.resources.parser)
    try identity.check(facts)
  }

  /// The same caller's request for something else.
  init(_ facts: RequestFacts, endpoint: Endpoint, like other: MeteredRequest) {
    identity = other.identity
    self.endpoint = endpoint
    providerName = other.providerName
    self.facts = facts
    outlivesAnswer = facts.outlivesAnswer
    growsWithTime = facts.growsWithTime
    body = []
    isJSON = false
    user = other.user
    conversation = other.conversation
    agent = other.agent
    metadata = other.metadata
  }

  /// The body, for the last who needs it: an answer may take minutes after that.
  func takeBody() -> [UInt8] {
    defer { body = [] }
    return body
  }

  /// The caller, whose budgets pay for the request.
  @inline(never)
  func caller(for quote: Quote) -> Caller {
    Caller(
      client: identity.client.id, key: identity.key.name, user: user ?? "",
      conversation: conversation ?? "", model: quote.modelName)
  }

  /// A batch, or a request within one, of which the header fields alone say who the user is.
  init(
    of facts: RequestFacts, endpoint: Endpoint, body: [UInt8], identity: Identity,
    provider: Provider, _ pipeline: RequestPipeline
  ) throws(Refusal) {
    let fields = pipeline.exchange.head.fields
    self.identity = identity
    self.endpoint = endpoint
    self.facts = facts
    outlivesAnswer = facts.outlivesAnswer
    growsWithTime = facts.growsWithTime
    self.body = body
    isJSON = endpoint.readsJSON(contentType: "")
    providerName = provider.name
    user = try MeteredRequest.identifier(.catracaUser, in: fields)
    conversation = try MeteredRequest.identifier(.catracaConversation, in: fields)
    agent = try MeteredRequest.identifier(.catracaAgent, in: fields)
    metadata = try MeteredRequest.readMetadata(of: fields, pipeline.resources.parser)
  }

  static func readBody(of pipeline: RequestPipeline) async throws(Refusal) -> [UInt8] {
    let exchange = pipeline.exchange
    let coding = BodyCoding(exchange.head.fields)
    let limit = Int(clamping: pipeline.rules.settings.limits.requestBody.bytes)
    guard coding == .plain else {
      return try await readCoded(coding, limit: limit, of: exchange)
    }
    do { return try await exchange.readBody(limit: limit) } catch {
      throw refusal(of: error, limit: limit)
    }
  }

  static func refusal(of error: HTTPExchangeError, limit: Int) -> Refusal {
    switch error {
    case .bodyTooLarge: .bodyTooLarge(limit: limit)
    case .invalidBody(let reason): .malformed(reason)
    case .bodyTimeout: .requestTimeout
    case .bodyMemoryExhausted: .tooManyBodies
    case .bodyShareExhausted: .tooManyBodiesOfKey
    case .requestShareExhausted: .tooManyRequestsOfKey
    case .disconnected, .alreadyAnswered, .notUpgradable: .clientLeft
    }
  }

  /// The name that a header gives; nil without the header.
  ///
  /// - Throws: 400 for a name that `RequestFacts` refuses in a body, too, or that isn't UTF-8.
  static func identifier(
    _ name: FieldName, in fields: HeaderFields
  ) throws(Refusal) -> String? {
    guard let text = fields.first(name) else { return nil }
    do throws(MeteringError) {
      // Stands for bytes that aren't UTF-8.
      guard !text.unicodeScalars.contains("\u{FFFD}") else {
        throw .invalid(param: name.lowercased, expected: "UTF-8")
      }
      try RequestFacts.check(identifier: text, param: name.lowercased)
    } catch {
      throw .unreadable(error)
    }
    return text
  }

  private static func readMetadata(
    of fields: HeaderFields, _ parser: JSONParser
  ) throws(Refusal) -> String? {
    guard let text = fields.first(.catracaMetadata) else { return nil }
    guard text.utf8.count <= largestMetadata, let value = try? parser.parse(Array(text.utf8)),
      value.kind == .object
    else { throw .invalidMetadata }
    return text
  }
}
