public import Objects
internal import Time

/// Which objects of a client are wanted, by when they were recorded.
public struct OwnObjects: Hashable, Sendable {
  /// Objects of this client, and those that all clients may use.
  public var client: String
  public var provider: String
  public var kind: ObjectKind
  public var isNewestFirst: Bool
  /// The object to begin with, itself included; nil begins with the newest or the oldest one, and
  /// so does an id that isn't recorded.
  public var start: String?
  /// The most objects.
  public var limit: Int

  public init(
    of client: String, provider: String, kind: ObjectKind, isNewestFirst: Bool,
    from start: String? = nil, limit: Int
  ) {
    self.client = client
    self.provider = provider
    self.kind = kind
    self.isNewestFirst = isNewestFirst
    self.start = start
    self.limit = limit
  }
}

extension LedgerReader {
  /// Ids of objects that a client may use, by when they were recorded, without deleted ones.
  ///
  /// - Throws: `LedgerError` if the ledger can't be read.
  public func ids(of objects: OwnObjects) throws(LedgerError) -> [String] {
    var first: ProviderObject?
    if let start = objects.start {
      first = try owners(of: [start], provider: objects.provider)[start]
    }
    let select = try connection.prepare(
      LedgerReader.selectOwnObjects(isNewestFirst: objects.isNewestFirst))
    select.bind(objects.client, at: 1)
    select.bind(ProviderObject.Owner.everybody.text, at: 2)
    select.bind(objects.provider, at: 3)
    select.bind(objects.kind.rawValue, at: 4)
    // Times are texts that begin with a digit: they stand between these two.
    select.bind(first?.createdAt.rfc3339 ?? (objects.isNewestFirst ? "~" : ""), at: 5)
    select.bind(first?.objectID ?? "", at: 6)
    select.bind(Int64(objects.limit), at: 7)
    return try select.rows { fields throws(LedgerError) in
      try fields.requiredText("object_id", of: "an object")
    }
  }

  /// Each owner's objects are a range of the index, of which no more than the limit is read.
  private static func selectOwnObjects(isNewestFirst: Bool) -> String {
    let order = isNewestFirst ? "DESC" : "ASC"
    let ranges = ["?1", "?2"].map { client in
      """
      SELECT * FROM (
        SELECT object_id, created_at FROM provider_objects
        WHERE client_id = \(client) AND provider = ?3 AND kind = ?4 AND deleted_at IS NULL
          AND (created_at, object_id) \(isNewestFirst ? "<=" : ">=") (?5, ?6)
        ORDER BY created_at \(order), object_id \(order) LIMIT ?7
      ) AS own
      """
    }
    return """
      SELECT object_id FROM (\(ranges.joined(separator: "\nUNION ALL\n"))) AS both_owners
      ORDER BY created_at \(order), object_id \(order) LIMIT ?7
      """
  }
}
