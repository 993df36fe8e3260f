/// Brings a database to the newest schema.
enum DatabaseSchema {
  /// Applies the missing steps, each in its own transaction.
  ///
  /// Servers that start together on one database take turns.
  ///
  /// - Parameter migrations: the steps in order; a test may give steps of a made-up later release.
  /// - Returns: the numbers of the steps that it applied.
  /// - Throws: `notALedger` for a database of another program, `ofEarlierBuild`, `tooNew` for a
  ///   schema of a later release that this one can't work with, or `unavailable`.
  static func migrate(
    _ connection: DatabaseConnection, at location: LedgerLocation,
    through migrations: [Migration] = Migration.all
  ) throws(LedgerError) -> [Int] {
    let current = try version(of: connection, at: location)
    try refuse(current, of: connection, at: location)
    var applied: [Int] = []
    for migration in migrations where migration.number > current {
      // Servers that write meanwhile may hold tables that it waits for, and wait for others.
      let isApplied = try connection.repeatedly { () throws(LedgerError) in
        try apply(migration, to: connection, at: location)
      }
      if isApplied { applied.append(migration.number) }
    }
    return applied
  }

  /// False if another server was faster.
  private static func apply(
    _ migration: Migration, to connection: DatabaseConnection, at location: LedgerLocation
  ) throws(LedgerError) -> Bool {
    try connection.transaction { () throws(LedgerError) in
      if let takeTurn = connection.dialect.takeMigrationTurn {
        try connection.execute(takeTurn)
        let current = try version(of: connection, at: location)
        if current >= migration.number { return false }
      }
      try connection.execute(migration.sql(connection.dialect))
      let record = try connection.prepare(recordMigration)
      try record.run(migration.number, migration.name)
      if migration.isAdditive {
        let keep = try connection.prepare(keepReadableFrom)
        try keep.run(migration.number)
      }
      return true
    }
  }

  /// Passes if the database has the newest schema that this release knows, or one of a later
  /// release that only adds to it.
  ///
  /// - Throws: `tooOld` if steps are missing, else as `migrate`.
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

  /// Passes if the database has exactly the newest schema, as a full copy requires.
  ///
  /// - Throws: `tooNew` for every other schema, else as `migrate`.
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

  /// Throws `tooNew` for the schema of a later release that this one can't work with.
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

  /// The number of the last step that was applied; 0 for an empty database.
  ///
  /// Builds before version 1 numbered other steps; a ledger of theirs has no step 1 of its name.
  private static func version(
    of connection: DatabaseConnection, at location: LedgerLocation
  ) throws(LedgerError) -> Int {
    // By one statement, since another server may be making the tables meanwhile. Many programs
    // have a table `schema_migrations`.
    let count = try connection.prepare(
      """
      SELECT count(CASE WHEN name IN ('schema_migrations', 'usage_logs') THEN 1 END), count(*)
      FROM (\(connection.dialect.tableNames)) AS tables
      """)
    var (isLedger, isEmpty) = (false, true)
    try count.forEachRow {
      isLedger = count.integer(0) == 2
      isEmpty = count.integer(1) == 0
    }
    if isEmpty { return 0 }
    guard isLedger else { throw .notALedger(path: location.description) }
    let find = try connection.prepare(firstAndLastMigration)
    var (first, last): (String?, Int64?) = (nil, nil)
    try find.forEachRow { (first, last) = (find.text(0), find.integer(1)) }
    guard first == Migration.version1.name, let last else {
      throw .ofEarlierBuild(path: location.description)
    }
    return Int(last)
  }

  private static let recordMigration = "INSERT INTO schema_migrations (number, name) VALUES (?, ?)"
  private static let firstAndLastMigration = """
    SELECT max(CASE WHEN number = 1 THEN name END), max(number) FROM schema_migrations
    """
  private static let lastReadableFrom = """
    SELECT coalesce(readable_from, number) FROM schema_migrations ORDER BY number DESC LIMIT 1
    """
  /// A server that could work with the schema before can work with it after a step that only adds.
  private static let keepReadableFrom = """
    UPDATE schema_migrations SET readable_from =
      (SELECT coalesce(earlier.readable_from, earlier.number) FROM schema_migrations AS earlier
        WHERE earlier.number < ?1 ORDER BY earlier.number DESC LIMIT 1)
    WHERE number = ?1
    """
}

extension Dialect {
  /// A query for the names of all tables; in SQLite also of indexes and views.
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

  /// Nil for SQLite, where one server has the file alone. Otherwise the statement waits until no
  /// other server migrates, and lets the step take as long as it needs.
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

  /// A number that nothing else in the database locks.
  private static let migrationTurn: Int64 = 0x6361_7472_6163_6100
}
