public import Time

extension ServerLedger {
  /// Objects in one entry at most, so that each line of a spool, and what one caller adds to a
  /// commit, are bounded.
  static let objectsInOneEntry = 256

  /// - Throws: `LedgerError`, as `Ledger` says.
  public func record(_ objects: [ProviderObject]) async throws(LedgerError) {
    var rest = objects.filter { ProviderObject.isID($0.objectID) }[...]
    while !rest.isEmpty {
      try await write(.objects(Array(rest.prefix(ServerLedger.objectsInOneEntry))))
      rest = rest.dropFirst(ServerLedger.objectsInOneEntry)
    }
  }

  /// - Throws: `LedgerError`, as `Ledger` says.
  public func end(
    _ objectID: String, of provider: String, at now: Timestamp
  ) async throws(LedgerError) {
    guard ProviderObject.isID(objectID) else { return }
    try await write(.objectEnd(ObjectEnd(provider: provider, objectID: objectID, at: now)))
  }

  /// A settlement that one entry has room for. If it has too many objects, or ids that can't be
  /// recorded, its objects are recorded first, and apart.
  func recordingTooMany(
    of settlement: SettledRequest
  ) async throws(LedgerError) -> SettledRequest {
    guard !settlement.objects.isEmpty, !ServerLedger.fit([settlement]) else { return settlement }
    try await record(settlement.objects)
    var rest = settlement
    rest.objects = []
    return rest
  }

  func recordingTooMany(
    of settlement: DeferredSettlement
  ) async throws(LedgerError) -> DeferredSettlement {
    guard !ServerLedger.fit(settlement.rows) else { return settlement }
    try await record(settlement.rows.flatMap(\.objects))
    var rest = settlement
    for index in rest.rows.indices where !rest.rows[index].objects.isEmpty {
      rest.rows[index].objects = []
    }
    return rest
  }

  private static func fit(_ settlements: [SettledRequest]) -> Bool {
    var count = 0
    for settlement in settlements {
      let objects = settlement.objects
      count += objects.count
      guard count <= objectsInOneEntry,
        objects.allSatisfy({ ProviderObject.isID($0.objectID) })
      else { return false }
    }
    return true
  }
}
