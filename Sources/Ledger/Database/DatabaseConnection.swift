/// A connection to a database. One thread owns it at a time.
final class DatabaseConnection {
  enum Access {
    case readWrite
    case readOnly
  }

  private enum Backend {
    case sqlite(SQLiteConnection)
    case postgresql(PostgresConnection)
  }

  private let backend: Backend
  /// The loan of a connection that returns to the pool; nil for any other connection.
  private let loan: PostgresLoan?
  /// Whether an `edit` is under way. Further edits are part of it.
  var isEditing = false

  /// Notes the rows that can't be understood and are passed over; nil if such rows are errors.
  var unreadable: UnreadableRows?

  /// Called with each statement, so that tests can check its query plan.
  var whenPreparing: ((String) -> Void)?

  /// Opens a ledger's database. With write access, creates an SQLite file that doesn't exist.
  ///
  /// - Parameters:
  ///   - fileSystem: The name of SQLite's VFS; nil for the system's own.
  ///   - commitsOften: Whether a server's writer uses the connection.
  ///   - isBorrowed: Whether a PostgreSQL connection is one of the few that readers and editors
  ///     share.
  init(
    _ location: LedgerLocation, access: Access, busyTimeoutMilliseconds: Int32,
    fileSystem: String? = nil, commitsOften: Bool = false, isBorrowed: Bool = false
  ) throws(LedgerError) {
    switch location {
    case .sqlite(let path):
      loan = nil
      backend = .sqlite(
        try SQLiteConnection(
          path: path, access: access, busyTimeoutMilliseconds: busyTimeoutMilliseconds,
          fileSystem: fileSystem, joinsLog: commitsOften))
    case .postgresql(let url):
      if isBorrowed {
        let loan = try PostgresPool.of(url)
          .borrow(lockTimeoutMilliseconds: busyTimeoutMilliseconds)
        self.loan = loan
        backend = .postgresql(loan.connection)
      } else {
        loan = nil
        backend = .postgresql(
          try PostgresConnection(url: url, lockTimeoutMilliseconds: busyTimeoutMilliseconds))
      }
    }
  }

  /// Whether this connection's schema was checked and this release can work with it.
  var hasKnownSchema: Bool {
    get {
      switch backend {
      case .sqlite: false
      case .postgresql(let connection): connection.hasKnownSchema
      }
    }
    set {
      if case .postgresql(let connection) = backend { connection.hasKnownSchema = newValue }
    }
  }

  var dialect: Dialect {
    switch backend {
    case .sqlite: .sqlite
    case .postgresql: .postgresql
    }
  }

  /// Sets the longest time that a statement waits for another connection's lock.
  func setBusyTimeout(milliseconds: Int32) {
    switch backend {
    case .sqlite(let connection): connection.setBusyTimeout(milliseconds: milliseconds)
    case .postgresql(let connection): connection.setLockTimeout(milliseconds: milliseconds)
    }
  }

  /// Does what `SQLiteConnection.takeOverLog` does; nothing for a PostgreSQL database.
  func takeOverLog() {
    if case .sqlite(let connection) = backend { connection.takeOverLog() }
  }

  /// The same as `SQLiteConnection.logFrames`; 0 for a PostgreSQL database.
  var logFrames: Int {
    if case .sqlite(let connection) = backend { connection.logFrames } else { 0 }
  }

  /// Does what `SQLiteConnection.copyLog` does; nothing for a PostgreSQL database.
  func copyLog() {
    if case .sqlite(let connection) = backend { _ = connection.copyLog() }
  }

  /// Does what `SQLiteConnection.synchronizeLog` does; nothing for a PostgreSQL database.
  func synchronizeLog() throws(LedgerError) {
    if case .sqlite(let connection) = backend { try connection.synchronizeLog() }
  }

  /// Sets the longest silence of a database on another machine, after which it counts as
  /// unavailable. The setting lasts until the connection returns to the pool.
  func setAnswerTimeout(milliseconds: Int32) {
    switch backend {
    case .sqlite: break
    case .postgresql(let connection): connection.answerTimeout = milliseconds
    }
  }

  /// Sets the answer timeout to a duration, at least a millisecond.
  func expectAnswers(within patience: Duration) {
    let (seconds, attoseconds) = patience.components
    let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    setAnswerTimeout(milliseconds: max(1, Int32(clamping: milliseconds)))
  }

  /// Runs statements without parameters and without results.
  func execute(_ sql: String) throws(LedgerError) {
    switch backend {
    case .sqlite(let connection): try connection.execute(sql)
    case .postgresql(let connection): try connection.execute(sql)
    }
  }

  /// Writes rows into a table of a PostgreSQL database, within a transaction, until `next` returns
  /// nil.
  ///
  /// - Parameter next: Returns a row in COPY's text format, without the line break.
  func copy(
    into table: String, _ columns: [String], _ next: () throws(LedgerError) -> String?
  ) throws(LedgerError) {
    guard case .postgresql(let connection) = backend else {
      throw .unavailable(reason: "only a PostgreSQL database is copied into")
    }
    try connection.copy(into: table, columns, next)
  }

  /// Prepares a statement that can be run many times. Its parameters are `?`; if one occurs twice,
  /// they are `?1`, `?2`, ….
  func prepare(_ sql: String) throws(LedgerError) -> Statement {
    whenPreparing?(sql)
    switch backend {
    case .sqlite(let connection): return Statement(.sqlite(try connection.prepare(sql)))
    case .postgresql(let connection):
      return Statement(.postgresql(try connection.prepare(sql, on: loan)))
    }
  }

  /// Prepares a statement that inserts one row into a table with an `id`, for
  /// `Statement.insertedID`.
  func prepareInsert(_ sql: String) throws(LedgerError) -> Statement {
    switch backend {
    case .sqlite: try prepare(sql)
    case .postgresql: try prepare("\(sql) RETURNING id")
    }
  }

  /// Returns whether the last transaction has an unknown outcome and may have been committed.
  /// The next call returns false.
  func takeUncertainty() -> Bool {
    switch backend {
    case .sqlite: return false
    case .postgresql(let connection):
      defer { connection.isCommitUncertain = false }
      return connection.isCommitUncertain
    }
  }

  /// Whether the last failure was a conflict with another server's transaction or with a change of
  /// the schema, so that the transaction may succeed if it is repeated as a whole.
  var lastFailureIsWorthRepeating: Bool {
    switch backend {
    case .sqlite: false
    case .postgresql(let connection): connection.lastFailureIsWorthRepeating
    }
  }

  private func rollBack() {
    switch backend {
    case .sqlite(let connection): connection.rollBack()
    case .postgresql(let connection): connection.rollBack()
    }
  }

  /// Runs `body` in a transaction that may write. If `body` or the commit throws, the transaction
  /// is rolled back.
  func transaction<Answer>(
    _ body: () throws(LedgerError) -> Answer
  ) throws(LedgerError) -> Answer {
    try transaction(
      begin: { () throws(LedgerError) in try execute(DatabaseConnection.begin) },
      commit: { () throws(LedgerError) in try execute(DatabaseConnection.commit) }, body)
  }

  /// Runs a transaction by statements that were prepared from `begin` and `commit`, for a writer
  /// that commits often. A PostgreSQL connection uses its own statements.
  func transaction<Answer>(
    begin: Statement, commit: Statement, _ body: () throws(LedgerError) -> Answer
  ) throws(LedgerError) -> Answer {
    try transaction(
      begin: { () throws(LedgerError) in try begin.run() },
      commit: { () throws(LedgerError) in try commit.run() }, body)
  }

  static let begin = "BEGIN IMMEDIATE"
  static let commit = "COMMIT"

  private func transaction<Answer>(
    begin: () throws(LedgerError) -> Void, commit: () throws(LedgerError) -> Void,
    _ body: () throws(LedgerError) -> Answer
  ) throws(LedgerError) -> Answer {
    switch backend {
    case .sqlite: try begin()
    case .postgresql(let connection): try connection.beginTransaction()
    }
    do {
      let answer = try body()
      switch backend {
      case .sqlite: try commit()
      case .postgresql(let connection): try connection.commit()
      }
      return answer
    } catch {
      rollBack()
      throw error
    }
  }

  /// Lifts the timeout of this transaction's statements, because they read whole tables.
  func allowLongStatements() throws(LedgerError) {
    if case .postgresql = backend { try prepare("SET LOCAL statement_timeout = 0").run() }
  }

  /// Runs `body`, and repeats it after failures that are worth repeating, `mostAttempts` times in
  /// all.
  func repeatedly<Answer>(
    _ body: () throws(LedgerError) -> Answer
  ) throws(LedgerError) -> Answer {
    for _ in 1..<DatabaseConnection.mostAttempts {
      do {
        return try body()
      } catch {
        guard lastFailureIsWorthRepeating else { throw error }
      }
    }
    return try body()
  }

  /// The most attempts at a transaction that conflicts with others.
  static let mostAttempts = 10

  /// Runs `body` in a transaction that only reads, so that it sees the ledger at one time. If the
  /// schema changes, `body` is repeated from its beginning.
  func snapshot<Answer>(
    _ body: () throws(LedgerError) -> Answer
  ) throws(LedgerError) -> Answer {
    try repeatedly { () throws(LedgerError) in try snapshotOnce(body) }
  }

  private func snapshotOnce<Answer>(
    _ body: () throws(LedgerError) -> Answer
  ) throws(LedgerError) -> Answer {
    switch backend {
    case .sqlite(let connection): try connection.execute("BEGIN DEFERRED")
    case .postgresql(let connection): try connection.beginReadingSnapshot()
    }
    defer { rollBack() }
    return try body()
  }

  /// Subscribes to channels, whose messages `notifications` returns. SQLite has no channels.
  func listen(to channels: [String]) throws(LedgerError) {
    switch backend {
    case .sqlite: break
    case .postgresql(let connection): try connection.listen(to: channels)
    }
  }

  /// Tells all who listen to a channel, once the transaction is committed. SQLite can't notify: its
  /// readers poll.
  func notify(_ channel: String, payload: String = "") throws(LedgerError) {
    switch backend {
    case .sqlite: break
    case .postgresql:
      let notify = try prepare("SELECT pg_notify('\(channel)', ?)")
      notify.bind(payload, at: 1)
      try notify.run()
    }
  }

  /// Returns the messages to the channels of `listen`. If there is none, waits for one for at most
  /// `patience`.
  func notifications(within patience: Duration) throws(LedgerError) -> [Notification] {
    switch backend {
    case .sqlite: return []
    case .postgresql(let connection): return try connection.notifications(within: patience)
    }
  }
}
