internal import Configuration
internal import HTTP
internal import Ledger
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

  /// By which a repetition of the call is recognized.
  var idempotencyKey: String? { fields.first(IdempotentCalls.field) }

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

  func client(_ id: String) throws(APIError) -> Client {
    guard let client = clients.client(id) else { throw .notFound("client \(id)") }
    return client
  }

  /// Throws where a key asks for another client than its own, whether there is that one or not.
  func permit(_ clientID: String) throws(APIError) {
    guard case .key(let owner) = credential, owner.client.id != clientID else { return }
    throw .forbidden("This key sees its own client alone.")
  }

  // MARK: The ledger

  private static let anyone = "anyone"

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
        openReader = reader
      }
      return try body(reader)
    } catch {
      throw APIError(error)
    }
  }

  /// Changes what the ledger keeps, and returns when that is in force.
  ///
  /// - Parameter actor: who it is that changes it, where there is no credential.
  func change<Answer>(
    as actor: String = anyone, _ body: (LedgerEditor) throws(LedgerError) -> Answer
  ) async throws(APIError) -> Answer {
    let answer = try edit(as: actor, body)
    guard await server.takeOverLedger() else { throw .ledgerUnavailable }
    return answer
  }

  /// Changes what the ledger keeps, where the server doesn't have to know.
  ///
  /// - Parameter actor: who it is that changes it, where there is no credential.
  func edit<Answer>(
    as actor: String = anyone, _ body: (LedgerEditor) throws(LedgerError) -> Answer
  ) throws(APIError) -> Answer {
    do throws(LedgerError) {
      let author = LedgerEditor.Author(actor: credential?.actor ?? actor, now: now)
      return try body(try LedgerEditor(at: server.ledgerLocation, author: author))
    } catch {
      throw APIError(error)
    }
  }
}

extension APIError {
  /// What a caller is told of a failure of the ledger.
  init(_ error: LedgerError) {
    switch error {
    case .alreadyExists(let record): self = .alreadyExists(record)
    case .stillUsed(let record, let user): self = .inUse(record, by: user)
    case .notFound(let record): self = .notFound(record)
    default: self = .ledgerUnavailable
    }
  }
}
