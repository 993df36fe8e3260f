internal import Configuration
internal import HTTP
internal import Ledger
internal import TLS
internal import Time

/// One call of the API, with access to the server and the ledger.
///
/// A call runs off the event loops, since the ledger blocks, and has its own connections to it.
final class Call {
  let server: any RunningServer
  let settings: Settings
  let clients: ClientRegistry
  /// The caller's credential; nil for a route that needs none.
  let credential: Credential?
  /// The parameters in the path, by name.
  let parameters: [String: String]
  let query: Query
  let bodyBytes: [UInt8]
  let fields: HeaderFields
  private let bodyFields: Fields
  let now: Timestamp
  private var openReader: LedgerReader?
  /// The call's idempotency key; nil if it has none.
  var claim: IdempotencyClaim?
  /// The call's change, once it is committed.
  var changeMade: ClaimedKey?
  /// Whether an earlier call with the same key made that change.
  var isRepeated = false
  /// Whether storing the answer claims the key. False if the change has claimed it.
  var claimsWithAnswer = true

  /// - Parameter body: The body's bytes, and the fields that the route allows.
  init(
    server: any RunningServer, credential: Credential?, parameters: [String: String],
    query: Query, body: (bytes: [UInt8], fields: Fields), fields: HeaderFields, now: Timestamp
  ) {
    self.server = server
    settings = server.settings
    clients = server.clients
    self.credential = credential
    self.parameters = parameters
    self.query = query
    bodyBytes = body.bytes
    bodyFields = body.fields
    self.fields = fields
    self.now = now
  }

  /// Sets the call's idempotency key.
  ///
  /// - Parameter known: The change of an earlier call with the same key; nil if there was none.
  func take(_ claim: IdempotencyClaim, known: ClaimedKey?) {
    self.claim = claim
    changeMade = known
    isRepeated = known != nil
    claimsWithAnswer = known == nil
  }

  /// When the change was made; for a new call, now.
  var changedAt: Timestamp { changeMade?.createdAt ?? now }

  /// The value of a parameter in the path: `acme` for `{client}`.
  func parameter(_ name: String) -> String {
    guard let text = parameters[name] else {
      preconditionFailure("no route has {\(name)} in its path")
    }
    return text
  }

  /// The body. Throws if it has a field that the route doesn't allow.
  func body() throws(APIError) -> Body {
    try Body(bodyBytes, allowed: bodyFields.names)
  }

  // MARK: The client that is meant

  /// The client of `?client=`; for a key, its own client.
  func clientOfQuery() throws(APIError) -> Client {
    let name = try query.text("client")
    if case .key(let owner) = credential {
      try permit(name ?? owner.client.id)
      return owner.client
    }
    guard let name else { throw .missingField("client") }
    return try client(name)
  }

  /// The key that the call was made with; nil for a token.
  var ownKey: ClientKey? {
    if case .key(let owner) = credential { owner.key } else { nil }
  }

  /// Whether the answer may show what providers charge.
  var showsProviderCosts: Bool { credential?.seesProviderCosts ?? false }

  func client(_ id: String) throws(APIError) -> Client {
    guard let client = clients.client(id) else { throw .notFound("client \(id)") }
    return client
  }

  /// Throws if a key asks for another client than its own, whether or not that client exists.
  func permit(_ clientID: String) throws(APIError) {
    guard case .key(let owner) = credential, owner.client.id != clientID else { return }
    throw .forbidden(
      "This key can only see its own client.",
      portuguese: "Esta chave só pode ver o próprio cliente.")
  }

  // MARK: The ledger

  /// Reads from the ledger.
  ///
  /// - Throws: `ledgerUnavailable`, or what `body` throws as an error of the API.
  func read<Answer>(
    _ body: (LedgerReader) throws(LedgerError) -> Answer
  ) throws(APIError) -> Answer {
    do throws(LedgerError) {
      let reader: LedgerReader
      if let openReader {
        reader = openReader
      } else {
        reader = try LedgerReader(at: server.ledgerLocation)
        // After a committed change, the caller gets an answer soon, even if the ledger is slow.
        if hasChanged { reader.expectAnswers(within: Call.patienceAfterChange) }
        openReader = reader
      }
      return try body(reader)
    } catch {
      // The connection may be broken. The next read opens another.
      openReader = nil
      throw APIError(error)
    }
  }

  private static let patienceAfterChange = Duration.seconds(10)

  /// Returns the connection that `read` uses. The next `read` takes another.
  ///
  /// Calls share a few connections to PostgreSQL. A call that kept one while it waits for another
  /// could block calls that it waits for (a deadlock).
  func closeReader() { openReader = nil }

  /// The ID of the row that the call makes, derived from its idempotency key; nil without a key.
  func requestID(ofClient id: String) -> RequestID? {
    claim.flatMap { RequestID(digest: SHA256.digest(of: "\(id)\n\($0.key)").hex) }
  }
}

extension APIError {
  /// The API's error for an error of the ledger.
  init(_ error: LedgerError) {
    switch error {
    case .alreadyExists(let record): self = .alreadyExists(record)
    case .stillUsed(let record, let user): self = .inUse(record, by: user)
    case .notFound(let record): self = .notFound(record)
    case .undecided: self = .undecided
    default: self = .ledgerUnavailable
    }
    if status >= 500 { cause = error.description }
  }
}
