extension Migration {
  /// Which months of `usage_logs` are no part of it any more. A file has no months.
  static let detachedMonthTables = Migration(
    number: 19, name: "detached months",
    sqlite: """
      CREATE TABLE detached_months (
        month TEXT PRIMARY KEY, -- of UTC, such as 2026-11
        table_name TEXT NOT NULL, -- which may be gone since
        detached_at TEXT NOT NULL,
        row_count INTEGER -- NULL until they are counted
      ) STRICT, WITHOUT ROWID;
      """,
    postgresql: """
      CREATE TABLE detached_months (
        month TEXT COLLATE "C" PRIMARY KEY, -- of UTC, such as 2026-11
        table_name TEXT COLLATE "C" NOT NULL, -- which may be gone since
        detached_at TEXT COLLATE "C" NOT NULL,
        row_count BIGINT -- NULL until they are counted
      );
      """)
}
