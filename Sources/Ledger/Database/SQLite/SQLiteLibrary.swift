internal import CSQLite

/// SQLite itself, of which all of a process's connections are.
package enum SQLiteLibrary {
  /// Must come before SQLite is asked for anything else; only the first call does something.
  ///
  /// SQLite would count the bytes it has allocated, under one lock for all threads at each
  /// allocation, for figures that nobody reads. Where it is in use already, it goes on doing so.
  package static func prepare() { _ = status }

  private static let status = catraca_sqlite3_disable_memory_status()
}
