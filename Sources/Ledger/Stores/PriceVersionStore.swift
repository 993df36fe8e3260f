/// `price_versions`: the prices that costs were computed with, each version once.
final class PriceVersionStore {
  private let insert: Statement
  /// Versions known to be in the table; forgotten as a whole when there are many.
  private var known: Set<String> = []

  static let largestKnownCount = 10_000

  init(_ connection: Connection) throws(LedgerError) {
    insert = try connection.prepare(PriceVersionStore.insertVersion)
  }

  func keep(_ version: String?, _ record: String?) throws(LedgerError) {
    guard let version, let record, !known.contains(version) else { return }
    insert.bind(version, at: 1)
    insert.bind(record, at: 2)
    try insert.run()
    if known.count >= PriceVersionStore.largestKnownCount { known.removeAll() }
    known.insert(version)
  }

  /// What a transaction that failed inserted is not there.
  func didRollBack() {
    known.removeAll()
  }

  private static let insertVersion = """
    INSERT INTO price_versions (version, record) VALUES (?, ?) ON CONFLICT (version) DO NOTHING
    """
}
