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
