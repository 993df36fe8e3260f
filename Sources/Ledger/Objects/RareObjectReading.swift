internal import Objects

// A page of all clients' objects of one kind. The index has the client before the kind, and the
// primary key doesn't have the kind at all. So a kind that few objects have would be looked for in
// the whole table: 700 ms in 10 million rows. Instead, the index is asked for each client whether
// it has the kind, which takes two steps in the index a client.

extension LedgerReader {
  /// Rows that are found by way of their owners. If there are more, the kind is so frequent that a
  /// page of it is found soon in the order of the primary key.
  private static let mostRare = 2_000

  /// A page of all clients' objects of a kind, by provider and id, if few objects are of the kind;
  /// nil if many are.
  func few(
    of kind: ObjectKind, _ provider: String?, after cursor: ObjectCursor?, _ limit: Int
  ) throws(LedgerError) -> [ProviderObject]? {
    var found: [ProviderObject] = []
    for case let provider? in provider == nil ? try knownProviders() : [provider] {
      for presence in ObjectPresence.allCases {
        let owners = try owners(of: kind, provider, presence)
        guard owners.count + found.count <= LedgerReader.mostRare else { return nil }
        for owner in owners {
          found += try objects(of: owner, provider, kind, presence)
          guard found.count <= LedgerReader.mostRare else { return nil }
        }
      }
    }
    let rest = found.filter { object in
      cursor.map { (object.provider, object.objectID) > ($0.provider, $0.objectID) } ?? true
    }
    let ordered = rest.sorted { ($0.provider, $0.objectID) < ($1.provider, $1.objectID) }
    return Array(ordered.prefix(limit))
  }

  /// The owners of objects of a kind, at most one more than `mostRare`.
  private func owners(
    of kind: ObjectKind, _ provider: String, _ presence: ObjectPresence
  ) throws(LedgerError) -> [String] {
    let clause = "deleted_at \(presence.rawValue)"
    // A scalar query isn't turned into a join, which could read the whole table. With its order,
    // SQLite chooses the client's index; without it, the primary key, of which it reads everything.
    let select = try connection.prepare(
      """
      WITH RECURSIVE owner (id) AS (
        SELECT MIN(client_id) FROM provider_objects WHERE \(clause)
        UNION ALL
        SELECT (SELECT MIN(other.client_id) FROM provider_objects other
          WHERE other.client_id > owner.id AND other.\(clause))
        FROM owner WHERE owner.id IS NOT NULL)
      SELECT id FROM owner WHERE id IS NOT NULL AND
        (SELECT one.object_id FROM provider_objects one
          WHERE one.client_id = owner.id AND one.provider = ?1 AND one.kind = ?2
            AND one.\(clause) ORDER BY one.created_at, one.object_id LIMIT 1) IS NOT NULL
      LIMIT ?3
      """)
    select.bind(provider, at: 1)
    select.bind(kind.rawValue, at: 2)
    select.bind(Int64(LedgerReader.mostRare + 1), at: 3)
    return try select.rows { fields throws(LedgerError) in
      try fields.requiredText("id", of: "an owner")
    }
  }

  /// The objects of a kind that an owner has, at most one more than `mostRare`.
  private func objects(
    of owner: String, _ provider: String, _ kind: ObjectKind, _ presence: ObjectPresence
  ) throws(LedgerError) -> [ProviderObject] {
    let select = try connection.prepare(
      """
      SELECT * FROM provider_objects
      WHERE client_id = ?1 AND provider = ?2 AND kind = ?3 AND deleted_at \(presence.rawValue)
      ORDER BY created_at, object_id LIMIT ?4
      """)
    select.bind(owner, at: 1)
    select.bind(provider, at: 2)
    select.bind(kind.rawValue, at: 3)
    select.bind(Int64(LedgerReader.mostRare + 1), at: 4)
    return try select.rows(ProviderObject.init(from:))
  }
}
