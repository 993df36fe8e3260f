/// An error of the server.
struct PostgresFailure {
  /// SQLSTATE: the first two characters are its class.
  let state: String
  let message: String

  /// Another transaction came in between, what was prepared has to be prepared again, or a month
  /// was detached: the same, as a whole, may succeed.
  var isWorthRepeating: Bool {
    state.hasPrefix("40") || PostgresFailure.staleStatement.contains(state)
      || state == PostgresFailure.noPartition
  }

  /// The server has ended the connection, or what was prepared on it is of no use any more.
  var endsConnection: Bool {
    state.hasPrefix("08") || state.hasPrefix("57P")
      || PostgresFailure.staleStatement.contains(state)
  }

  /// A statement whose table has changed, and one that a pooler between has prepared elsewhere.
  private static let staleStatement: Set<String> = ["0A000", "26000"]
  /// A row that no table takes, since its month was detached.
  private static let noPartition = "23514"

  /// Without any value that was bound: errors of data repeat what they found.
  var error: LedgerError {
    let hasValues = state.hasPrefix("22")
    return .unavailable(
      reason: hasValues || message.isEmpty
        ? "PostgreSQL error \(state)" : "\(message) (PostgreSQL error \(state))")
  }
}
