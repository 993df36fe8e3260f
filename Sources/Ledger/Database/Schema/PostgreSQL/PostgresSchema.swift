/// The tables as PostgreSQL first had them: what all migrations until then make of an SQLite file,
/// with the same names and the same meaning.
///
/// Texts are compared by their bytes, as in SQLite.
enum PostgresSchema {
  static let first = [
    usageTables, rollupTables, budgetTables, clientTables, billingTables, views,
  ].joined(separator: "\n\n")
}
