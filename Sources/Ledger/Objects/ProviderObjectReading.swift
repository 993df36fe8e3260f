internal import JSON
internal import Objects
internal import Time

extension LedgerReader {
  /// Ids that are looked up by one statement.
  private static let idsInOneQuery = 256

  /// Those of these objects of a provider that are recorded and not deleted, by their ids.
  ///
  /// All of them are committed: what another server has recorded before its answer ended is there.
  ///
  /// - Throws: `LedgerError` if the ledger can't be read.
  public func owners(
    of ids: [String], provider: String
  ) throws(LedgerError) -> [String: ProviderObject] {
    let select = try connection.prepare(LedgerReader.selectOwners(connection.dialect))
    var owners: [String: ProviderObject] = [:]
    var rest = ids.filter { ProviderObject.isID($0) }[...]
    while !rest.isEmpty {
      var array = JSONWriter()
      array.strings(Array(rest.prefix(LedgerReader.idsInOneQuery)))
      rest = rest.dropFirst(LedgerReader.idsInOneQuery)
      select.bind(provider, at: 1)
      select.bind(utf8: array.bytes, at: 2)
      for object in try select.rows(ProviderObject.init(from:)) {
        owners[object.objectID] = object
      }
    }
    return owners
  }

  /// A page of objects, deleted ones too: at most `limit`.
  ///
  /// Those of one owner are ordered by provider and kind, the last name first, and by age within a
  /// kind, the newest first. Those of all owners are ordered by provider and id. With a cursor, the
  /// page begins after the object that the cursor names; objects that are recorded meanwhile are
  /// neither repeated nor do they displace others.
  ///
  /// - Throws: `LedgerError` if the ledger can't be read.
  public func objects(
    _ filter: ObjectFilter = ObjectFilter(), after cursor: ObjectCursor? = nil, limit: Int
  ) throws(LedgerError) -> [ProviderObject] {
    // One that is named is found by its id, whoever owns it.
    guard let owner = filter.owner, filter.objectID == nil else {
      if filter.objectID == nil, let kind = filter.kind,
        let few = try few(of: kind, filter.provider, after: cursor, limit)
      {
        return few
      }
      return try page(filter, after: cursor, limit)
    }
    // The index has the provider before the kind: without a provider, each one is asked.
    let isOfAnyProvider = filter.kind != nil && filter.provider == nil
    var found: [ProviderObject] = []
    for provider in isOfAnyProvider ? try knownProviders() : [filter.provider]
    where found.count < limit {
      var filter = filter
      filter.provider = provider
      var pages: [ProviderObject] = []
      for presence in [ObjectPresence.present, .deleted] {
        pages += try page(of: owner, filter, presence, after: cursor, limit)
      }
      found += LedgerReader.merged(pages, limit - found.count)
    }
    return found
  }

  /// The providers of all objects, the last name first.
  func knownProviders() throws(LedgerError) -> [String?] {
    let select = try connection.prepare(LedgerReader.selectProviders + " ORDER BY provider DESC")
    return try select.rows { $0.text("provider") }
  }

  /// Which of the two indexes of an owner's objects is read.
  enum ObjectPresence: String, CaseIterable {
    case present = "IS NULL"
    case deleted = "IS NOT NULL"
  }

  private func page(
    of owner: ProviderObject.Owner, _ filter: ObjectFilter, _ presence: ObjectPresence,
    after cursor: ObjectCursor?, _ limit: Int
  ) throws(LedgerError) -> [ProviderObject] {
    let conditions = [("client_id = ?", owner.text)] + LedgerReader.conditions(of: filter)
    let order = "provider DESC, kind DESC, created_at DESC, object_id DESC"
    let clause = " AND deleted_at \(presence.rawValue)"
    guard let cursor else { return try rows(conditions, clause, [], order, limit) }
    return try rows(
      conditions, clause + " AND (provider, kind, created_at, object_id) < (?, ?, ?, ?)",
      [cursor.provider, cursor.kind, cursor.createdAt.rfc3339, cursor.objectID], order, limit)
  }

  private func page(
    _ filter: ObjectFilter, after cursor: ObjectCursor?, _ limit: Int
  ) throws(LedgerError) -> [ProviderObject] {
    var conditions = LedgerReader.conditions(of: filter)
    if let owner = filter.owner { conditions.append(("client_id = ?", owner.text)) }
    let order = "provider, object_id"
    // Of an object whose provider isn't known, each provider is asked: that is the key's order.
    let clause = filter.objectID != nil && filter.provider == nil ? LedgerReader.anyProvider : ""
    guard let cursor else { return try rows(conditions, clause, [], order, limit) }
    return try rows(
      conditions, clause + " AND (provider, object_id) > (?, ?)",
      [cursor.provider, cursor.objectID], order, limit)
  }

  private static let anyProvider = " AND provider IN (\(selectProviders))"

  /// Finds each of the few providers by one step in the primary key.
  private static let selectProviders = """
    WITH RECURSIVE known (provider) AS (
      SELECT MIN(provider) FROM provider_objects
      UNION ALL
      SELECT (SELECT MIN(other.provider) FROM provider_objects other
        WHERE other.provider > known.provider)
      FROM known WHERE known.provider IS NOT NULL)
    SELECT provider FROM known WHERE provider IS NOT NULL
    """

  private static func conditions(of filter: ObjectFilter) -> [(String, String)] {
    var conditions: [(String, String)] = []
    if let provider = filter.provider { conditions.append(("provider = ?", provider)) }
    if let kind = filter.kind { conditions.append(("kind = ?", kind.rawValue)) }
    if let objectID = filter.objectID { conditions.append(("object_id = ?", objectID)) }
    return conditions
  }

  /// - Parameters:
  ///   - conditions: Constant expressions, and the texts that they are bound to.
  ///   - clause: A constant, and the texts that are bound in it.
  private func rows(
    _ conditions: [(String, String)], _ clause: String, _ texts: [String], _ order: String,
    _ limit: Int
  ) throws(LedgerError) -> [ProviderObject] {
    let filter = (["1 = 1"] + conditions.map(\.0)).joined(separator: " AND ")
    let select = try connection.prepare(
      "SELECT * FROM provider_objects WHERE \(filter)\(clause) ORDER BY \(order) LIMIT ?")
    let values = conditions.map(\.1) + texts
    for (place, text) in values.enumerated() { select.bind(text, at: Int32(place + 1)) }
    select.bind(Int64(limit), at: Int32(values.count + 1))
    return try select.rows(ProviderObject.init(from:))
  }

  /// The first of several pages in the order of an owner's objects.
  private static func merged(_ pages: [ProviderObject], _ limit: Int) -> [ProviderObject] {
    let ordered = pages.sorted { one, other in
      (one.provider, one.kind.rawValue, one.createdAt, one.objectID)
        > (other.provider, other.kind.rawValue, other.createdAt, other.objectID)
    }
    return Array(ordered.prefix(limit))
  }

  private static func selectOwners(_ dialect: Dialect) -> String {
    """
    SELECT * FROM provider_objects
    WHERE object_id IN \(dialect.texts(of: "?2")) AND provider = ?1 AND deleted_at IS NULL
    """
  }
}
