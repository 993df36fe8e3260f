/// One numbered step of the schema; never changed once released, only followed by another.
struct Migration {
  let number: Int
  let name: String
  let sql: String

  /// All that this release knows, in order.
  static let all: [Migration] = [
    .firstTables, .clientTables, .controlTables, .priceTables, .deferredTables, .planTables,
    .estimateColumns, .alertTables, .rollupTables, .rollupDaysOfUTC, .billingTables,
    .usageTotalTables, .conversationRollup, .rareRowIndexes, .unpricedModelTables,
    .signingKeyTables,
  ]

  /// The schema that this release reads and writes.
  static var newest: Int { all.last?.number ?? 0 }
}

/// Brings a database to the newest schema.
enum Schema {
  /// Applies the missing migrations, each in its own transaction; returns their numbers.
  ///
  /// Refuses databases of other programs and of later releases.
  static func migrate(_ connection: Connection, path: String) throws(LedgerError) -> [Int] {
    let current = try version(of: connection, path: path)
    guard current <= Migration.newest else {
      throw .tooNew(path: path, found: current, known: Migration.newest)
    }
    var applied: [Int] = []
    for migration in Migration.all where migration.number > current {
      try connection.transaction { () throws(LedgerError) in
        try connection.execute(createMigrations)
        try connection.execute(migration.sql)
        let record = try connection.prepare(recordMigration)
        record.bind(Int64(migration.number), at: 1)
        record.bind(migration.name, at: 2)
        try record.run()
      }
      applied.append(migration.number)
    }
    return applied
  }

  /// Throws unless the database has exactly the newest schema.
  static func check(_ connection: Connection, path: String) throws(LedgerError) {
    let current = try version(of: connection, path: path)
    if current > Migration.newest {
      throw .tooNew(path: path, found: current, known: Migration.newest)
    }
    if current < Migration.newest {
      throw .tooOld(path: path, found: current, known: Migration.newest)
    }
  }

  /// The number of the last migration that was applied; 0 for an empty database.
  private static func version(
    of connection: Connection, path: String
  ) throws(LedgerError) -> Int {
    let isMigrated = try connection.prepare(countMigrationTables).firstInteger() == 1
    if isMigrated { return Int(try connection.prepare(lastMigration).firstInteger() ?? 0) }
    guard try connection.prepare(countTables).firstInteger() == 0 else {
      throw .notALedger(path: path)
    }
    return 0
  }

  private static let createMigrations = """
    CREATE TABLE IF NOT EXISTS schema_migrations (
      number INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      applied_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
    ) STRICT
    """
  private static let recordMigration = "INSERT INTO schema_migrations (number, name) VALUES (?, ?)"
  private static let lastMigration = "SELECT max(number) FROM schema_migrations"
  private static let countTables = "SELECT count(*) FROM sqlite_schema"
  private static let countMigrationTables =
    "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations'"
}
