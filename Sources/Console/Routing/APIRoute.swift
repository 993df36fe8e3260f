internal import Configuration
internal import HTTP

/// One call of the API: its method, its path and its access. The OpenAPI document is made from all
/// routes.
struct APIRoute: Routed {
  enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case patch = "PATCH"
    case delete = "DELETE"

    var ofHTTP: HTTP.Method {
      switch self {
      case .get: .get
      case .post: .post
      case .patch: .patch
      case .delete: .delete
      }
    }
  }

  enum Access: Sendable {
    /// No credential is needed.
    case anyone
    /// No credential, or tokens of either role, depending on `admin.metrics`.
    case scraper
    /// Tokens of either role.
    case viewer
    case admin
    /// Tokens of either role, and a client's own keys.
    case key
    /// Tokens that may change things, and a client's own keys.
    case adminOrKey
  }

  let method: Method
  let path: String
  /// The declared access. `access(under:)` applies the settings.
  let access: Access
  /// A one-line description for the OpenAPI document.
  let summary: String
  let query: [QueryParameter]
  /// The allowed fields of the body.
  let body: Fields
  /// Whether the body is any object, such as an event of the payment provider.
  var takesAnyObject = false
  let success: Success
  let handler: @Sendable (Call) async throws(APIError) -> Answer
  /// Whether the answers contain a secret. Such answers are never stored.
  let showsSecret: Bool
  /// The owner of the idempotency keys of its calls.
  var idempotencyOwner: @Sendable (Call) throws(APIError) -> String = { call in
    call.credential?.actor ?? "anyone"
  }

  init(
    _ method: Method, _ path: String, _ access: Access, _ summary: String,
    query: [QueryParameter] = [], body: Fields = .none, answers success: Success,
    showsSecret: Bool = false,
    handler: @escaping @Sendable (Call) async throws(APIError) -> Answer
  ) {
    self.method = method
    self.path = path
    self.access = access
    self.summary = summary
    self.query = query
    self.body = body
    self.success = success
    self.showsSecret = showsSecret
    self.handler = handler
  }

  /// The access under these settings; never `scraper`.
  func access(under settings: AdminSettings) -> Access {
    guard case .scraper = access else { return access }
    return settings.metricsNeedToken ? .viewer : .anyone
  }
}

/// A parameter of a call's query.
struct QueryParameter: Sendable {
  let name: String
  /// The meaning and the allowed values, for the OpenAPI document.
  let meaning: String
  let schema: JSONSchema

  init(_ name: String, _ meaning: String, _ schema: JSONSchema = .plainText) {
    self.name = name
    self.meaning = meaning
    self.schema = schema
  }

  static let client = QueryParameter("client", "the client's ID")
  static let page = [
    QueryParameter("limit", "the number of entries, 1 to 1000; 100 by default", .integer(1...1000)),
    QueryParameter("after", "the cursor: `next` of the previous page"),
  ]
}

/// The answer of a successful call.
enum Success: Sendable {
  /// 200.
  case ok(JSONSchema)
  /// 200. A parameter may choose another media type for the body.
  case okOrText(JSONSchema, mediaTypes: [String])
  /// 201.
  case created(JSONSchema)
  /// 201 for a new record, 200 for a replaced one.
  case createdOrReplaced(JSONSchema)
  /// 204, without a body.
  case removed
  /// 200, with a body of this media type, which isn't JSON.
  case text(mediaType: String)

  /// The media types besides JSON.
  var textTypes: [String] {
    switch self {
    case .okOrText(_, let mediaTypes): mediaTypes
    case .text(let mediaType): [mediaType]
    default: []
    }
  }

  /// The statuses with the schema of a JSON body; nil without one.
  var answers: [(status: Int, schema: JSONSchema?)] {
    switch self {
    case .ok(let schema), .okOrText(let schema, _): [(200, schema)]
    case .created(let schema): [(201, schema)]
    case .createdOrReplaced(let schema): [(200, schema), (201, schema)]
    case .removed: [(204, nil)]
    case .text: [(200, nil)]
    }
  }
}
