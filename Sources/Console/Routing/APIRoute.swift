internal import Configuration
internal import HTTP

/// One call of the API: its method, path, and who may make it. The document is written from these.
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
    /// Anyone, or tokens of either role, as `admin.metrics` says.
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
  /// What the table says; `access(under:)` is who may call.
  let access: Access
  /// One line for the document.
  let summary: String
  let query: [QueryParameter]
  /// What a body may have, for the document and for who reads it.
  let body: Fields
  /// Whether the body is somebody else's object, whatever is in it.
  var takesAnyObject = false
  let success: Success
  let handler: @Sendable (Call) async throws(APIError) -> Answer
  /// Whether its answers show a secret, which is never stored.
  let showsSecret: Bool
  /// Whose idempotency keys its calls bring.
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

  /// Who may make the call with these settings; never `scraper`.
  func access(under settings: AdminSettings) -> Access {
    guard case .scraper = access else { return access }
    return settings.metricsNeedToken ? .viewer : .anyone
  }
}

/// A parameter that a call takes behind the `?`.
struct QueryParameter: Sendable {
  let name: String
  /// What it means and what is allowed, for the document.
  let meaning: String
  let schema: JSONSchema

  init(_ name: String, _ meaning: String, _ schema: JSONSchema = .plainText) {
    self.name = name
    self.meaning = meaning
    self.schema = schema
  }

  static let client = QueryParameter("client", "the client's id")
  static let page = [
    QueryParameter("limit", "how many entries, 1 to 1000; 100 by default", .integer(1...1000)),
    QueryParameter("after", "where the page begins: `next` of the page before"),
  ]
}
