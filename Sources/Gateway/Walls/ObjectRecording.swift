internal import Configuration
internal import JSON
internal import Ledger
internal import Logging
internal import Metering
internal import Objects
internal import Pricing
internal import Time

// An object that an answer makes belongs to the client that asked. It is recorded before the
// client can see its id: with the row of a whole answer, apart for a stream.

extension Gateway {
  /// Records objects that an answer shows, and returns when that is safe.
  ///
  /// Objects that this process has recorded already aren't recorded again.
  ///
  /// - Returns: false where the ledger can't record them, as the log says: they are nobody's.
  @discardableResult
  func record(_ objects: [ProviderObject]) async -> Bool {
    let new = owners.unknown(among: objects)
    guard !new.isEmpty else { return true }
    do throws(LedgerError) {
      try await ledger.record(new)
    } catch {
      logger.log(.error, "objects_not_recorded") { line in
        line.member("provider", new[0].provider)
        line.member("object", new[0].objectID)
        line.member("count", Int64(new.count))
        line.member("reason", error.description)
      }
      return false
    }
    owners.note(new)
    return true
  }
}

extension MeteredRequest {
  /// Whether the provider keeps objects that the answer shows, also if nobody takes the answer. The
  /// sound of a chat completion is one, that of other endpoints isn't.
  var keepsObjects: Bool {
    facts.keepsObjects || facts.asksForAudio && facts.operation == .chat
  }

  /// Whether its answer may show objects, which must be recorded before the client sees them.
  var makesObjects: Bool {
    facts.keepsObjects || facts.asksForAudio || outlivesAnswer || endpoint.keepsAnswers
  }
}

extension ProviderObject {
  /// An object that an answer to a client's request shows.
  init(
    _ made: MadeObject, of provider: String, madeBy client: String, key: String, at now: Timestamp
  ) {
    self.init(
      provider: provider, objectID: made.id, kind: made.kind, owner: .client(client), keyName: key,
      createdAt: now)
  }
}

extension ForwardedRequest {
  /// The objects that the answer shows, as the ledger keeps them.
  func objects(_ made: [MadeObject]) -> [ProviderObject] {
    guard !made.isEmpty else { return [] }
    let now = gateway.clock()
    return made.map { made in
      ProviderObject(
        made, of: quote.provider.name, madeBy: request.identity.client.id,
        key: request.identity.key.name, at: now)
    }
  }
}

extension DeferredWork {
  /// The objects that an answer about the work shows, as the ledger keeps them.
  func objects(_ made: [MadeObject], at now: Timestamp) -> [ProviderObject] {
    let row = record.expected.row
    return made.map {
      ProviderObject($0, of: row.provider, madeBy: row.clientID, key: row.keyName, at: now)
    }
  }
}
