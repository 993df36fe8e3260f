extension Migration {
  /// From which schema on servers can work with that of a later release.
  ///
  /// Those that knew no such thing refuse any later schema: it isn't additive itself.
  static let readableFrom = Migration(
    number: 18, name: "readable from",
    sqlite: """
      -- the oldest schema whose servers can work with this one; NULL: this alone
      ALTER TABLE schema_migrations ADD COLUMN readable_from INTEGER
      """,
    postgresql: """
      -- the oldest schema whose servers can work with this one; NULL: this alone
      ALTER TABLE schema_migrations ADD COLUMN readable_from BIGINT
      """)
}
