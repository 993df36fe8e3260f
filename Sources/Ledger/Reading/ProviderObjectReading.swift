internal import JSON

extension LedgerReader {
  /// Ids that are looked up by one statement.
  private static let idsInOneQuery = 256

  /// Those of these objects of a provider that are recorded and not deleted, by their ids.
  ///
  /// All of them are committed: what another server has recorded before its answer ended is there.
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
      for object in try select.rows({ fields throws(LedgerError) in
        try ProviderObject(from: fields)
      }) {
        owners[object.objectID] = object
      }
    }
    return owners
  }

  private static func selectOwners(_ dialect: Dialect) -> String {
    """
    SELECT * FROM provider_objects
    WHERE provider = ?1 AND object_id IN \(dialect.texts(of: "?2")) AND deleted_at IS NULL
    """
  }
}
