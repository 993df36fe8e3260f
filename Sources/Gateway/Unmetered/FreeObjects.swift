internal import Configuration
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Ledger
internal import Logging
internal import Objects

// The changes that the answer to a free request makes in the ledger.

extension UnmeteredForwarding {
  /// Records whose objects are, before the client learns of them: the client's own, but in an
  /// object that all clients share, such as a conversation, they are shared too.
  ///
  /// An id that the request itself names isn't new, so an answer that shows it makes nobody its
  /// owner. Example: an app adds an item with an id of its choice to a conversation, and the answer
  /// repeats the id.
  ///
  /// - Parameter outer: the id of the object that shows them; nil for the one in the path.
  /// - Throws: `ledgerUnavailable` where that can't be recorded.
  func record(_ made: [MadeObject], in outer: String? = nil) async throws(Refusal) {
    var made = made.filter { !namedIDs.contains($0.id) }
    if pipeline.exchange.head.method == .get {
      // An app may ask for the same object again and again until it is ready.
      let owned = try await pipeline.gateway.owners.owned(
        made.map(\.id), of: provider, for: identity, on: pipeline)
      made.removeAll { owned.contains($0.id) }
    }
    guard !made.isEmpty else { return }
    do throws(LedgerError) {
      guard let owner = try await ownerOfShown(in: outer) else { return }
      let now = pipeline.gateway.clock()
      let objects = made.map { object in
        ProviderObject(
          provider: provider.name, objectID: object.id, kind: object.kind, owner: owner,
          keyName: identity.key.name, createdAt: now)
      }
      try await pipeline.gateway.ledger.record(objects)
      pipeline.gateway.owners.note(objects)
    } catch {
      throw unrecorded(error, made.map(\.id))
    }
  }

  /// The owner of the objects that another object shows.
  ///
  /// - Parameter id: of the other object; nil for the one in the path.
  /// - Returns: nil for what is there already in an object that nobody owns, which only an operator
  ///   can have opened: reading it makes nobody its owner.
  private func ownerOfShown(
    in id: String?
  ) async throws(LedgerError) -> ProviderObject.Owner? {
    let own = ProviderObject.Owner.client(identity.client.id)
    let method = pipeline.exchange.head.method
    let inPath = FreeContent.references(method: method.name, path: path).first?.id
    guard let id = id ?? inPath else { return own }
    switch try await pipeline.gateway.owners.owner(of: id, of: provider.name) {
    case .everybody: return .everybody
    case .client: return own
    case nil: return method == .get ? nil : own
    }
  }

  /// Forgets the object in the path if the provider says that it has deleted it.
  ///
  /// - Parameter body: of a good answer.
  func end(saidBy body: [UInt8]) async throws(Refusal) {
    if body.isEmpty {
      if endpoint?.endsSilently == true { try await end() }
      return
    }
    guard let root = try? pipeline.resources.parser.parse(body),
      root["deleted"]?.boolean == true
    else { return }
    // An answer about another object doesn't end this one.
    guard let shown = root["id"] else { return try await end() }
    if shown.string == namedInPath.last?.id { try await end() }
  }

  /// Ends the ownership of the object in the path if an error says that the provider has no such
  /// object: its message names the object.
  ///
  /// Any other 404 can have another reason. Examples: a page of a server on the way, or a file
  /// that isn't in the container of the path, but in another one.
  ///
  /// - Parameter body: Of an answer with the status 404.
  func end(deniedBy body: [UInt8]) async throws(Refusal) {
    let named = namedInPath
    guard named.count == 1, let root = try? pipeline.resources.parser.parse(body),
      let message = root["error"]?["message"]?.string, message.contains(named[0].id)
    else { return }
    try await end()
  }

  private var namedInPath: [ObjectReference] {
    FreeContent.references(method: pipeline.exchange.head.method.name, path: path)
  }

  /// Forgets the object in the path, which isn't at the provider any more. Objects before it in the
  /// path are still there.
  func end() async throws(Refusal) {
    guard let id = namedInPath.last?.id else { return }
    do throws(LedgerError) {
      try await pipeline.gateway.ledger.end(id, of: provider.name, at: pipeline.gateway.clock())
    } catch {
      throw unrecorded(error, [id])
    }
    pipeline.gateway.owners.forget(id, of: provider.name)
  }

  /// An administrator can still assign an object that wasn't recorded, and so must know of it.
  private func unrecorded(_ error: LedgerError, _ ids: [String]) -> Refusal {
    pipeline.gateway.logger.log(.error, "ledger_unavailable") { line in
      line.member("request_id", "\(pipeline.id)")
      line.member("client", identity.client.id)
      line.member("provider", provider.name)
      line.member("objects") { objects in
        objects.array { list in
          for id in ids.prefix(UnmeteredForwarding.mostNamed) {
            list.string(RequestPipeline.shortened(id))
          }
        }
      }
      line.member("reason", error.description)
    }
    return .ledgerUnavailable
  }

  /// The most objects that a line of the log names.
  private static let mostNamed = 20
}
