/// One numbered step of the schema. A released step never changes; only later steps follow it.
struct Migration: Sendable {
  /// Counts from 1 without gaps.
  let number: Int
  /// The step's name in `schema_migrations`.
  let name: String
  /// Whether a server that knows only the schema before this step works on with the schema after
  /// it. The step then adds nothing but tables, indexes, and columns that are NULL or have a
  /// default.
  let isAdditive: Bool
  private let text: @Sendable (Dialect) -> String

  /// - Parameter text: the step in SQLite's words, which `sql(_:)` renders for either database.
  init(
    number: Int, name: String, isAdditive: Bool = false,
    text: @escaping @Sendable (Dialect) -> String
  ) {
    self.number = number
    self.name = name
    self.isAdditive = isAdditive
    self.text = text
  }

  func sql(_ dialect: Dialect) -> String { dialect.schema(text(dialect)) }

  /// The steps that this release knows, in order.
  static let all: [Migration] = [version1]

  /// The number of the schema that this release reads and writes.
  static var newest: Int { all.last?.number ?? 0 }

  /// The tables, indexes and views of a ledger.
  ///
  /// An instant is a text of RFC 3339 in UTC with milliseconds, so that texts sort as their
  /// instants do. A column `…_nano` or `…_nano_usd` counts 10⁻⁹ of its currency.
  static let version1 = Migration(number: 1, name: "version 1") { dialect in
    [
      migrations(dialect), usageLogs(dialect), inFlight(dialect), usageTables, rollupTables,
      budgetTables, alertTables, clientTables, planTables, administrationTables, billingTables,
      replicaTables, views(dialect),
    ].joined(separator: "\n\n")
  }

  private static func migrations(_ dialect: Dialect) -> String {
    """
    CREATE TABLE schema_migrations (
      number INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      applied_at TEXT NOT NULL DEFAULT (\(dialect.now)),
      readable_from INTEGER -- the oldest schema whose servers work with this one; NULL: this one
    ) STRICT;
    """
  }
}
