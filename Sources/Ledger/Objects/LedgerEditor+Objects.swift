/// The result of assigning an object.
public struct ObjectAssignment: Hashable, Sendable {
  /// As it was recorded before; nil where it was nobody's.
  public var before: ProviderObject?
  /// As it is recorded now.
  public var after: ProviderObject

  /// Whether another owner has lost the object.
  public var hadAnotherOwner: Bool {
    guard let before, before.deletedAt == nil else { return false }
    return before.owner != after.owner
  }
}

extension LedgerEditor {
  /// Objects that one transaction assigns at most; servers wait for it.
  public static let objectsInOneCommit = 500

  /// Gives objects to their owners, whoever had them before. `createdAt` counts where an object
  /// wasn't recorded, and `keyName` never does: no key made what is assigned.
  ///
  /// Each transaction takes `objectsInOneCommit` of them: where a later one fails, the earlier ones
  /// stand.
  ///
  /// - Parameter takingOver: Whether other owners lose objects; without it, an object that has
  ///   another owner stays as it is, and isn't in the answer.
  /// - Throws: `notFound` if a client was deleted, and `unreadable` if an id can't be one; another
  ///   `LedgerError` if the ledger can't be written.
  /// - Returns: The assignments, by the objects' ids.
  public func assign(
    _ objects: [ProviderObject], takingOver: Bool = true
  ) throws(LedgerError) -> [ObjectAssignment] {
    try assign(objects, takingOver, isDryRun: false)
  }

  /// Finds out what `assign` would do, and changes nothing.
  ///
  /// - Throws: as `assign`.
  /// - Returns: The assignments that `assign` would make, by the objects' ids.
  public func assignments(
    _ objects: [ProviderObject], takingOver: Bool = true
  ) throws(LedgerError) -> [ObjectAssignment] {
    var seen: Set<ProviderObject> = []
    return try assign(objects.filter { seen.insert($0).inserted }, takingOver, isDryRun: true)
  }

  private func assign(
    _ objects: [ProviderObject], _ takingOver: Bool, isDryRun: Bool
  ) throws(LedgerError) -> [ObjectAssignment] {
    for object in objects where !ProviderObject.isID(object.objectID) {
      throw .unreadable(record: "the id of an object")
    }
    // In the order in which servers write them, so that none waits for another that waits for it.
    var rest = objects.sorted { ($0.provider, $0.objectID) < ($1.provider, $1.objectID) }[...]
    var assignments: [ObjectAssignment] = []
    while !rest.isEmpty {
      let batch = rest.prefix(LedgerEditor.objectsInOneCommit)
      rest = rest.dropFirst(batch.count)
      assignments += try connection.edit { () throws(LedgerError) in
        for case .client(let id) in Set(batch.map(\.owner)) where try isDeleted(id) {
          throw .notFound(record: "client \(id): it was deleted")
        }
        var made: [ObjectAssignment] = []
        for object in batch {
          if let assignment = try assign(object, takingOver, isDryRun) { made.append(assignment) }
        }
        return made
      }
    }
    return assignments
  }

  /// Removes an object from the record: from now on it is nobody's.
  ///
  /// - Throws: `notFound` if there is no such object; another `LedgerError` if the ledger can't be
  ///   written.
  /// - Returns: The object as it was recorded.
  public func forget(
    _ objectID: String, of provider: String
  ) throws(LedgerError) -> ProviderObject {
    let store = ObjectOwnerStore(connection)
    return try connection.edit { () throws(LedgerError) in
      guard let before = try store.lock(objectID, of: provider) else {
        throw .notFound(record: "object \(objectID) of provider \(provider)")
      }
      try store.delete(objectID, of: provider)
      try record("object.forget", before, before: before, after: nil)
      return before
    }
  }

  /// Nil where another owner keeps it.
  private func assign(
    _ object: ProviderObject, _ takingOver: Bool, _ isDryRun: Bool
  ) throws(LedgerError) -> ObjectAssignment? {
    let store = ObjectOwnerStore(connection)
    var after = object
    after.keyName = nil
    after.deletedAt = nil
    while true {
      guard let before = try store.lock(object.objectID, of: object.provider) else {
        if isDryRun { return ObjectAssignment(before: nil, after: after) }
        // A server may record it meanwhile: then it is there the next time.
        guard try store.insert(after) else { continue }
        try record("object.assign", after, before: nil, after: after)
        return ObjectAssignment(before: nil, after: after)
      }
      let isPresent = before.deletedAt == nil
      if isPresent, before.owner != after.owner, !takingOver { return nil }
      if isPresent {
        after.createdAt = before.createdAt
        if before.owner == after.owner { after.keyName = before.keyName }
        after.session = before.session
      }
      if after != before, !isDryRun {
        try store.update(after)
        try record("object.assign", after, before: before, after: after)
      }
      return ObjectAssignment(before: before, after: after)
    }
  }

  private func record(
    _ action: String, _ object: ProviderObject, before: ProviderObject?, after: ProviderObject?
  ) throws(LedgerError) {
    var clientID: String?
    if case .client(let id) = object.owner { clientID = id }
    try auditLog.append(
      AuditEntry(
        actor: author.actor, action: action,
        target: "object:\(object.provider)/\(object.objectID)", clientID: clientID,
        before: before?.auditObject, after: after?.auditObject, createdAt: author.now))
  }
}
