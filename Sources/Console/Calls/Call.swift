internal import Configuration
internal import HTTP
internal import Ledger
internal import TLS
internal import Time

/// One call, and what it may reach.
///
/// It runs off the event loops, since the ledger blocks, and has connections of its own.
final class Call {
  let server: any RunningServer
  let settings: Settings
  let clients: ClientRegistry
  /// Nil where anyone may call.
  let credential: Credential?
  /// What the path names.
  let parameters: [String: String]
  let query: Query
  let bodyBytes: [UInt8]
  let fields: HeaderFields
  private let bodyFields: Fields
  let now: Timestamp
  private var openReader: LedgerReader?
  /// The idempotency key that the call brings; nil without one.
  var claim: IdempotencyClaim?
  /// The change that the call was to make, once it is safe.
  var changeMade: ClaimedKey?
  /// Whether an earlier call with the same key made that change.
  var isRepeated = false
  /// Whether the key is claimed when the answer is stored, since no change has claimed it.
  var claimsWithAnswer = true

  /// - Parameter body: its bytes, and the fields that the route declares.
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

  /// Gives the call its idempotency key.
  ///
  /// - Parameter known: the change that an earlier call with the key has made.
  func take(_ claim: IdempotencyClaim, known: ClaimedKey?) {
    self.claim = claim
    changeMade = known
    isRepeated = known != nil
    claimsWithAnswer = known == nil
  }

  /// When the call's change was made, or is to be made.
  var changedAt: Timestamp { changeMade?.createdAt ?? now }

  /// What the path says in the place of a name in braces.
  func parameter(_ name: String) -> String {
    guard let text = parameters[name] else {
      preconditionFailure("no route has {\(name)} in its path")
    }
    return text
  }

  /// The body, with the fields that the route declares and no others.
  func body() throws(APIError) -> Body {
    try Body(bodyBytes, allowed: bodyFields.names)
  }

  // MARK: The client that is meant

  /// The client of `?client=`, or a key's own.
  func clientOfQuery() throws(APIError) -> Client {
    let name = try query.text("client")
    if case .key(let owner) = credential {
      try permit(name ?? owner.client.id)
      return owner.client
    }
    guard let name else { throw .missingField("client") }
    return try client(name)
  }

  /// The key that is shown; nil for a token.
  var ownKey: ClientKey? {
    if case .key(let owner) = credential { owner.key } else { nil }
  }

  /// Whether the answer may have what providers charge.
  var showsProviderCosts: Bool { credential?.seesProviderCosts ?? false }

  func client(_ id: String) throws(APIError) -> Client {
    guard let client = clients.client(id) else { throw .notFound("client \(id)") }
    return client
  }

  /// Throws where a key asks for another client than its own, whether there is that one or not.
  func permit(_ clientID: String) throws(APIError) {
    guard case .key(let owner) = credential, owner.client.id != clientID else { return }
    throw .forbidden(
      "This key can only see its own client.",
      portuguese: "Esta chave só pode ver o próprio cliente.")
  }

  // MARK: The ledger

  /// Reads from the ledger.
  func read<Answer>(
    _ body: (LedgerReader) throws(LedgerError) -> Answer
  ) throws(APIError) -> Answer {
    do throws(LedgerError) {
      let reader: LedgerReader
      if let openReader {
        reader = openReader
      } else {
        reader = try LedgerReader(at: server.ledgerLocation)
        // The change is committed: the caller learns that soon, if not all that an answer shows.
        if hasChanged { reader.expectAnswers(within: Call.patienceAfterChange) }
        openReader = reader
      }
      return try body(reader)
    } catch {
      // What it stands on may be broken: the next attempt opens another.
      openReader = nil
      throw APIError(error)
    }
  }

  private static let patienceAfterChange = Duration.seconds(10)

  /// Lets go of what `read` reads with, until it is asked again.
  ///
  /// Calls share a few connections to PostgreSQL. A call that kept one while it waits for another
  /// connection, or for anything that needs one, could wait for calls that wait for it.
  func closeReader() { openReader = nil }

  /// The id of a row that the call is to make: always the same for its idempotency key.
  func requestID(ofClient id: String) -> RequestID? {
    claim.flatMap { RequestID(digest: SHA256.digest(of: "\(id)\n\($0.key)").hex) }
  }
}

extension APIError {
  /// What a caller is told of a failure of the ledger.
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
