/// Writes `price_versions`: the prices of computed costs, each version once.
final class PriceVersionStore {
  private let insert: Statement
  /// Versions that are known to be in the table. Cleared as a whole when there are many.
  private var known: Set<String> = []
  /// The last version that was named, which is usually the next one too.
  private var latest: String?

  static let largestKnownCount = 10_000

  init(_ connection: DatabaseConnection) throws(LedgerError) {
    insert = try connection.prepare(PriceVersionStore.insertVersion)
  }

  func keep(_ version: String?, _ record: String?) throws(LedgerError) {
    guard let version, let record, version != latest else { return }
    if known.contains(version) {
      latest = version
      return
    }
    insert.bind(version, at: 1)
    insert.bind(record, at: 2)
    try insert.run()
    if known.count >= PriceVersionStore.largestKnownCount { known.removeAll() }
    known.insert(version)
  }

  /// Forgets the versions, because those of a failed transaction aren't in the table.
  func didRollBack() {
    known.removeAll()
    latest = nil
  }

  private static let insertVersion = """
    INSERT INTO price_versions (version, record) VALUES (?, ?) ON CONFLICT (version) DO NOTHING
    """
}
