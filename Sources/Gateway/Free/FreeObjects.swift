internal import Configuration
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Ledger
internal import Logging
internal import Objects

// What a free request's answer changes in the ledger.

extension FreePassage {
  /// Records whose objects are, before the client learns of them: the client's own, but in an
  /// object that all clients share, such as a conversation, they are shared too.
  ///
  /// - Parameter outer: the id of the object that shows them; nil for the one in the path.
  /// - Throws: `ledgerUnavailable` where that can't be recorded.
  func record(_ made: [MadeObject], in outer: String? = nil) async throws(Refusal) {
    var made = made
    if journey.exchange.head.method == .get {
      // An app may ask for the same object again and again until it is ready.
      let owned = try await journey.gateway.owners.owned(
        made.map(\.id), of: provider, for: identity, on: journey)
      made.removeAll { owned.contains($0.id) }
    }
    guard !made.isEmpty else { return }
    do throws(LedgerError) {
      let isShared = try await isShared(outer)
      let now = journey.gateway.clock()
      let objects = made.map { object in
        ProviderObject(
          provider: provider.name, objectID: object.id, kind: object.kind,
          owner: isShared ? .everybody : .client(identity.client.id),
          keyName: identity.key.name, createdAt: now)
      }
      try await journey.gateway.ledger.record(objects)
      journey.gateway.owners.note(objects)
    } catch {
      throw unrecorded(error, made.map(\.id))
    }
  }

  /// - Parameter id: nil for the object in the path.
  private func isShared(_ id: String?) async throws(LedgerError) -> Bool {
    let method = journey.exchange.head.method.name
    guard let id = id ?? FreeContent.references(method: method, path: path).first?.id else {
      return false
    }
    return try await journey.gateway.owners.isShared(id, of: provider.name)
  }

  /// Forgets the object in the path, which the provider has deleted.
  func end() async throws(Refusal) {
    let method = journey.exchange.head.method.name
    for reference in FreeContent.references(method: method, path: path) {
      do throws(LedgerError) {
        try await journey.gateway.ledger.end(
          reference.id, of: provider.name, at: journey.gateway.clock())
      } catch {
        throw unrecorded(error, [reference.id])
      }
      journey.gateway.owners.forget(reference.id, of: provider.name)
    }
  }

  /// An administrator can still assign an object that wasn't recorded, and so must know of it.
  private func unrecorded(_ error: LedgerError, _ ids: [String]) -> Refusal {
    journey.gateway.logger.log(.error, "ledger_unavailable") { line in
      line.member("request_id", "\(journey.id)")
      line.member("client", identity.client.id)
      line.member("provider", provider.name)
      line.member("objects") { objects in
        objects.array { list in
          for id in ids.prefix(FreePassage.mostNamed) { list.string(Journey.shortened(id)) }
        }
      }
      line.member("reason", error.description)
    }
    return .ledgerUnavailable
  }

  /// The most objects that a line of the log names.
  private static let mostNamed = 20
}
