/// Brings a database to the newest schema.
enum DatabaseSchema {
  /// Applies the missing migrations, each in its own transaction; returns their numbers.
  ///
  /// Refuses databases of other programs, and of later releases that this one can't work with.
  /// Servers that start together on one database take turns.
  ///
  /// - Parameter migrations: in order; all that there are, but for tests.
  static func migrate(
    _ connection: DatabaseConnection, at location: LedgerLocation,
    through migrations: [Migration]? = nil
  ) throws(LedgerError) -> [Int] {
    let current = try version(of: connection, at: location)
    try refuse(current, of: connection, at: location)
    var applied: [Int] = []
    let migrations = migrations ?? Migration.all(connection.dialect)
    for migration in migrations where migration.number > current {
      // Servers that write meanwhile may have tables that it waits for, and wait for others.
      let isApplied = try connection.repeatedly { () throws(LedgerError) in
        try apply(migration, to: connection, at: location)
      }
      if isApplied { applied.append(migration.number) }
    }
    return applied
  }

  /// False where another server was faster.
  private static func apply(
    _ migration: Migration, to connection: DatabaseConnection, at location: LedgerLocation
  ) throws(LedgerError) -> Bool {
    guard let sql = migration.sql(connection.dialect) else { return false }
    return try connection.transaction { () throws(LedgerError) in
      if let takeTurn = connection.dialect.takeMigrationTurn {
        try connection.execute(takeTurn)
        let current = try version(of: connection, at: location)
        if current >= migration.number { return false }
      }
      try connection.execute(connection.dialect.createMigrations)
      try connection.execute(sql)
      let record = try connection.prepare(recordMigration)
      record.bind(Int64(migration.number), at: 1)
      record.bind(migration.name, at: 2)
      try record.run()
      if migration.isAdditive {
        let keep = try connection.prepare(keepReadableFrom)
        keep.bind(Int64(migration.number), at: 1)
        try keep.run()
      }
      return true
    }
  }

  /// Throws unless the database has the newest schema that this release knows, or one of a later
  /// release that only adds to it.
  static func check(_ connection: DatabaseConnection, at location: LedgerLocation)
    throws(LedgerError)
  {
    if connection.hasKnownSchema { return }
    let current = try version(of: connection, at: location)
    try refuse(current, of: connection, at: location)
    if current < Migration.newest {
      throw .tooOld(path: location.description, found: current, known: Migration.newest)
    }
    connection.hasKnownSchema = true
  }

  /// Throws unless the database has exactly the newest schema, as who copies all of it needs.
  static func requireNewest(
    _ connection: DatabaseConnection, at location: LedgerLocation
  ) throws(LedgerError) {
    let current = try version(of: connection, at: location)
    guard current == Migration.newest else {
      throw .tooNew(
        path: location.description, found: current, readableFrom: current,
        known: Migration.newest)
    }
  }

  /// Throws where the schema is of a later release, and only such can work with it.
  private static func refuse(
    _ found: Int, of connection: DatabaseConnection, at location: LedgerLocation
  ) throws(LedgerError) {
    guard found > Migration.newest else { return }
    let readableFrom = Int(try connection.prepare(lastReadableFrom).firstInteger() ?? 0)
    guard readableFrom > Migration.newest else { return }
    throw .tooNew(
      path: location.description, found: found, readableFrom: readableFrom,
      known: Migration.newest)
  }

  /// The number of the last migration that was applied; 0 for an empty database.
  private static func version(
    of connection: DatabaseConnection, at location: LedgerLocation
  ) throws(LedgerError) -> Int {
    // By one statement: another server may be making the tables meanwhile.
    let count = try connection.prepare(
      """
      SELECT count(CASE WHEN name = 'schema_migrations' THEN 1 END), count(*)
      FROM (\(connection.dialect.tableNames)) AS tables
      """)
    var (hasMigrations, isEmpty) = (false, true)
    try count.forEachRow {
      hasMigrations = count.integer(0) == 1
      isEmpty = count.integer(1) == 0
    }
    if hasMigrations {
      return Int(try connection.prepare(lastMigration).firstInteger() ?? 0)
    }
    guard isEmpty else { throw .notALedger(path: location.description) }
    return 0
  }

  private static let recordMigration = "INSERT INTO schema_migrations (number, name) VALUES (?, ?)"
  private static let lastMigration = "SELECT max(number) FROM schema_migrations"
  private static let lastReadableFrom = """
    SELECT coalesce(readable_from, number) FROM schema_migrations ORDER BY number DESC LIMIT 1
    """
  /// Whoever could work with the schema before can do so after a step that only adds to it.
  private static let keepReadableFrom = """
    UPDATE schema_migrations SET readable_from =
      (SELECT coalesce(earlier.readable_from, earlier.number) FROM schema_migrations AS earlier
        WHERE earlier.number < ?1 ORDER BY earlier.number DESC LIMIT 1)
    WHERE number = ?1
    """
}

extension Dialect {
  /// The tables that there are, and what else SQLite's schema has.
  fileprivate var tableNames: String {
    switch self {
    case .sqlite: "SELECT name FROM sqlite_schema"
    case .postgresql:
      """
      SELECT relname AS name FROM pg_class
      WHERE relnamespace = to_regnamespace(current_schema()) AND relkind IN ('r', 'p')
      """
    }
  }

  fileprivate var createMigrations: String {
    switch self {
    case .sqlite:
      """
      CREATE TABLE IF NOT EXISTS schema_migrations (
        number INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        applied_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
      ) STRICT
      """
    case .postgresql:
      """
      CREATE TABLE IF NOT EXISTS schema_migrations (
        number BIGINT PRIMARY KEY,
        name TEXT COLLATE "C" NOT NULL,
        applied_at TEXT COLLATE "C" NOT NULL DEFAULT \(PostgresSchema.now)
      )
      """
    }
  }

  /// Nil where who may write is alone. A migration may take as long as it takes.
  fileprivate var takeMigrationTurn: String? {
    switch self {
    case .sqlite: nil
    case .postgresql:
      """
      SET LOCAL lock_timeout = 0;
      SET LOCAL statement_timeout = 0;
      SELECT pg_advisory_xact_lock(\(Dialect.migrationTurn))
      """
    }
  }

  /// Any number that nothing else in the database locks.
  private static let migrationTurn: Int64 = 0x6361_7472_6163_6100
}
