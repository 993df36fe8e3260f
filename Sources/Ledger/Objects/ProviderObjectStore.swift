internal import Time

/// `provider_objects`: the objects that providers keep, and whose they are. Changes are gathered
/// and written once a commit.
final class ProviderObjectStore {
  private enum Change {
    case record(ProviderObject)
    case end(ObjectEnd)

    /// The row that is changed.
    var key: (provider: String, objectID: String) {
      switch self {
      case .record(let object): (object.provider, object.objectID)
      case .end(let end): (end.provider, end.objectID)
      }
    }

    var instant: Timestamp {
      switch self {
      case .record(let object): object.createdAt
      case .end(let end): end.at
      }
    }
  }

  /// How long a row stays after its object was deleted.
  static let retention = Duration.seconds(30 * 86_400)

  private let insert: Statement
  private let update: Statement
  private let updateSession: Statement
  private let prune: Statement
  private var changes: [Change] = []

  init(_ connection: DatabaseConnection) throws(LedgerError) {
    insert = try connection.prepare(ProviderObjectStore.insertRow)
    update = try connection.prepare(ProviderObjectStore.updateDeletedAt)
    updateSession = try connection.prepare(ProviderObjectStore.updateSessionOfContainer)
    prune = try connection.prepare(ProviderObjectStore.deleteOldest(connection.dialect))
  }

  func add(_ objects: [ProviderObject]) {
    for object in objects { changes.append(.record(object)) }
  }

  func add(_ end: ObjectEnd) {
    changes.append(.end(end))
  }

  /// Writes what was added since the last time: row by row in the order in which every server
  /// does, since two servers would otherwise wait for each other, and the changes of a row in the
  /// order in which they were added.
  func flush() throws(LedgerError) {
    guard !changes.isEmpty else { return }
    let ordered = changes.enumerated().sorted { one, other in
      let (left, right) = (one.element.key, other.element.key)
      return left == right ? one.offset < other.offset : left < right
    }
    for (_, change) in ordered {
      switch change {
      case .record(let object):
        var parameters = ParameterWriter(insert)
        object.write(to: &parameters)
        try insert.run()
        if let session = object.session { try write(session, of: object) }
      case .end(let end):
        var parameters = ParameterWriter(update)
        end.write(to: &parameters)
        try update.run()
      }
    }
    try pruneDeleted()
    changes.removeAll()
  }

  /// A session that has time left when the other one is recorded stays, whoever has paid for it.
  private func write(
    _ session: ContainerSession, of object: ProviderObject
  ) throws(LedgerError) {
    var parameters = ParameterWriter(updateSession)
    session.write(to: &parameters)
    parameters.write("provider", object.provider)
    parameters.write("object_id", object.objectID)
    parameters.write("client_id", object.owner.text)
    parameters.write(
      "ended", object.createdAt.advanced(by: .zero - ContainerSession.length).rfc3339)
    try updateSession.run()
  }

  /// Removes rows that were deleted long ago, at most two for each change, so that a commit never
  /// has much to do and as many are removed as are added. It comes last: then no other server
  /// waits for these rows while this one waits for another row.
  private func pruneDeleted() throws(LedgerError) {
    guard let latest = changes.lazy.map(\.instant).max() else { return }
    let oldest = latest.advanced(by: .zero - ProviderObjectStore.retention)
    try prune.run(oldest.rfc3339, Int64(2 * changes.count))
  }

  func didRollBack() {
    changes.removeAll()
  }

  /// The columns are those of `ProviderObject.write(to:)`, in its order.
  ///
  /// The owner stays who it is. An entry that is written twice must not bring back an object that
  /// was deleted in between: only one that was made after the deletion does.
  private static let insertRow = """
    INSERT INTO provider_objects
      (provider, object_id, kind, client_id, key_name, created_at, deleted_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (provider, object_id) DO UPDATE SET key_name = excluded.key_name,
      created_at = excluded.created_at, deleted_at = excluded.deleted_at
    WHERE provider_objects.client_id = excluded.client_id
      AND provider_objects.deleted_at < excluded.created_at
    """
  private static let updateDeletedAt = """
    UPDATE provider_objects SET deleted_at = ?3
    WHERE provider = ?1 AND object_id = ?2 AND deleted_at IS NULL
    """
  private static let updateSessionOfContainer = """
    UPDATE provider_objects
    SET session_price = ?1, session_started_at = ?2, session_request_id = ?3
    WHERE provider = ?4 AND object_id = ?5 AND client_id = ?6
      AND (session_started_at IS NULL OR session_started_at <= ?7)
    """
  private static func deleteOldest(_ dialect: Dialect) -> String {
    """
    DELETE FROM provider_objects WHERE (provider, object_id) IN
      (SELECT provider, object_id FROM provider_objects WHERE deleted_at < ?1
        ORDER BY deleted_at LIMIT ?2 \(dialect.passingOverLocked))
    """
  }
}

extension Dialect {
  /// Leaves out rows that another transaction is changing.
  fileprivate var passingOverLocked: String {
    switch self {
    case .sqlite: ""
    case .postgresql: "FOR UPDATE SKIP LOCKED"
    }
  }
}
