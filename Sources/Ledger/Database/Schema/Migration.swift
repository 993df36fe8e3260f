/// One numbered step of the schema; never changed once released, only followed by another.
///
/// PostgreSQL begins with the step that was the newest when it was first served: there it makes all
/// tables at once.
struct Migration {
  let number: Int
  let name: String
  /// Whether servers that know the schema without this step can work with it as they did: it adds
  /// tables, indexes, or columns that are NULL or have a default, of which they needn't know.
  let isAdditive: Bool
  private let sqlite: String
  private let postgresql: String?

  /// A step that only SQLite files need.
  init(number: Int, name: String, sql: String) {
    self.number = number
    self.name = name
    isAdditive = false
    sqlite = sql
    postgresql = nil
  }

  init(number: Int, name: String, isAdditive: Bool = false, sqlite: String, postgresql: String) {
    self.number = number
    self.name = name
    self.isAdditive = isAdditive
    self.sqlite = sqlite
    self.postgresql = postgresql
  }

  /// Nil where a database of this kind never was without it.
  func sql(_ dialect: Dialect) -> String? {
    switch dialect {
    case .sqlite: sqlite
    case .postgresql: postgresql
    }
  }

  /// All that this release knows, in order.
  static let all: [Migration] = [
    .firstTables, .clientTables, .controlTables, .priceTables, .deferredTables, .planTables,
    .estimateColumns, .alertTables, .rollupTables, .rollupDaysOfUTC, .billingTables,
    .usageTotalTables, .conversationRollup, .rareRowIndexes, .unpricedModelTables,
    .signingKeyTables, .leaseTables, .readableFrom, .detachedMonthTables, .creditLeaseTables,
    .intentValues, .conversationPermitTables, .offlineReserveTables, .intentDifferences,
    .fewerUsageIndexes, .idempotencyKeyColumns, .summaryOfAnySize, .providerObjectTables,
    .providerCostColumns, .providerCostOfEarlierRows, .objectListIndexes,
    .missingPriceTables, .toolCallColumn, .limitPauseTables, .chargesUnderTerms,
  ]

  static func all(_ dialect: Dialect) -> [Migration] {
    all.filter { $0.sql(dialect) != nil }
  }

  /// The schema that this release reads and writes.
  static var newest: Int { all.last?.number ?? 0 }
}
