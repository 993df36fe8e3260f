/// One open database. Owned by one thread at a time, and never shared.
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
  /// Of a connection that goes back to the pool.
  private let loan: PostgresLoan?
  /// Whether an `edit` is under way, of which further edits are a part.
  var isEditing = false

  /// Where rows are noted that can't be understood and are passed over; nil where they are errors.
  var unreadable: UnreadableRows?

  /// Told of each statement, so that tests can ask how it finds its rows.
  var whenPreparing: ((String) -> Void)?

  /// Opens a ledger's database; an SQLite file is created when writing is asked for.
  ///
  /// - Parameters:
  ///   - fileSystem: what SQLite calls a VFS; nil for the system's own.
  ///   - commitsOften: whether it is the one of a server's writer.
  ///   - isBorrowed: whether a PostgreSQL connection is one of the few that readers and editors
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

  /// Whether the schema was found to be one that this release can work with, since this connection
  /// was made.
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

  /// How long a statement waits for another connection's lock.
  func setBusyTimeout(milliseconds: Int32) {
    switch backend {
    case .sqlite(let connection): connection.setBusyTimeout(milliseconds: milliseconds)
    case .postgresql(let connection): connection.setLockTimeout(milliseconds: milliseconds)
    }
  }

  /// See `SQLiteConnection.takeOverLog`; nothing where the database isn't a file.
  func takeOverLog() {
    if case .sqlite(let connection) = backend { connection.takeOverLog() }
  }

  /// See `SQLiteConnection.logFrames`; 0 where the database isn't a file.
  var logFrames: Int {
    if case .sqlite(let connection) = backend { connection.logFrames } else { 0 }
  }

  /// See `SQLiteConnection.copyLog`.
  func copyLog() {
    if case .sqlite(let connection) = backend { _ = connection.copyLog() }
  }

  /// See `SQLiteConnection.synchronizeLog`; nothing where the database isn't a file.
  func synchronizeLog() throws(LedgerError) {
    if case .sqlite(let connection) = backend { try connection.synchronizeLog() }
  }

  /// How long a database on another machine may be silent before it counts as away, until the
  /// connection goes back to the pool.
  func setAnswerTimeout(milliseconds: Int32) {
    switch backend {
    case .sqlite: break
    case .postgresql(let connection): connection.answerTimeout = milliseconds
    }
  }

  /// The same; at least a millisecond.
  func expectAnswers(within patience: Duration) {
    let (seconds, attoseconds) = patience.components
    let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    setAnswerTimeout(milliseconds: max(1, Int32(clamping: milliseconds)))
  }

  /// Runs statements that answer nothing and take no values.
  func execute(_ sql: String) throws(LedgerError) {
    switch backend {
    case .sqlite(let connection): try connection.execute(sql)
    case .postgresql(let connection): try connection.execute(sql)
    }
  }

  /// Writes rows into a table of a PostgreSQL database, within a transaction, until there is no
  /// next one.
  ///
  /// - Parameter next: a row in COPY's text format, without its end.
  func copy(
    into table: String, _ columns: [String], _ next: () throws(LedgerError) -> String?
  ) throws(LedgerError) {
    guard case .postgresql(let connection) = backend else {
      throw .unavailable(reason: "only a PostgreSQL database is copied into")
    }
    try connection.copy(into: table, columns, next)
  }

  /// A statement to be used many times; its parameters are `?`, or `?1`, `?2`… where one comes
  /// twice.
  func prepare(_ sql: String) throws(LedgerError) -> Statement {
    whenPreparing?(sql)
    switch backend {
    case .sqlite(let connection): return Statement(.sqlite(try connection.prepare(sql)))
    case .postgresql(let connection):
      return Statement(.postgresql(try connection.prepare(sql, on: loan)))
    }
  }

  /// A statement that inserts one row into a table with an `id`, for `Statement.insertedID`.
  func prepareInsert(_ sql: String) throws(LedgerError) -> Statement {
    switch backend {
    case .sqlite: try prepare(sql)
    case .postgresql: try prepare("\(sql) RETURNING id")
    }
  }

  /// Whether the end of the last transaction wasn't told, so that it may have been committed; asked
  /// once.
  func takeUncertainty() -> Bool {
    switch backend {
    case .sqlite: return false
    case .postgresql(let connection):
      defer { connection.isCommitUncertain = false }
      return connection.isCommitUncertain
    }
  }

  /// Whether what failed last came into conflict with another server's transaction, or with a
  /// change of the schema, and may succeed when it is made again as a whole.
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

  /// Runs `body` in a transaction that may write; rolls back when it or the commit throws.
  func transaction<Answer>(
    _ body: () throws(LedgerError) -> Answer
  ) throws(LedgerError) -> Answer {
    try transaction(
      begin: { () throws(LedgerError) in try execute(DatabaseConnection.begin) },
      commit: { () throws(LedgerError) in try execute(DatabaseConnection.commit) }, body)
  }

  /// The same by statements prepared from `begin` and `commit`, for who commits all the time. A
  /// PostgreSQL connection has its own.
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

  /// Lets the statements of this transaction take as long as they need, since they read it all.
  func allowLongStatements() throws(LedgerError) {
    if case .postgresql = backend { try prepare("SET LOCAL statement_timeout = 0").run() }
  }

  /// Does something that can be done as a whole again, as often as that is worth while.
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

  /// How often a transaction is made that others come in between of.
  static let mostAttempts = 10

  /// Runs `body` in a transaction that only reads, so that all it reads is of one instant; again
  /// from its beginning where the schema changes.
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

  /// Has what is sent to these channels arrive among the `notifications`. A file has none.
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

  /// The messages to the channels of `listen`. It waits for one at most for `patience`.
  func notifications(within patience: Duration) throws(LedgerError) -> [Notification] {
    switch backend {
    case .sqlite: return []
    case .postgresql(let connection): return try connection.notifications(within: patience)
    }
  }
}
