internal import CPostgres
internal import Glibc

/// One connection to a PostgreSQL server. Owned by one thread at a time, and never shared.
///
/// Statements go through libpq's pipeline (see `PostgresConnection+Pipeline`). One that broke is
/// made anew by the next statement outside a transaction; what was prepared on it is prepared
/// again.
@safe final class PostgresConnection {
  private let url: String
  var handle: OpaquePointer?
  /// Whether the schema was found to be one that this release can work with, since this connection
  /// was made.
  var hasKnownSchema = false
  /// Whether a commit was sent and its outcome not told.
  var isCommitUncertain = false
  /// How many connections to the server there have been.
  private(set) var generation = 0
  private(set) var isInTransaction = false
  /// Whether what failed last may succeed when it is made again as a whole.
  var lastFailureIsWorthRepeating = false
  private var texts: [String: PreparedText] = [:]
  private var textCount = 0
  private let begin = PreparedText("BEGIN", name: "begin")
  private let beginSnapshot = PreparedText(
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", name: "begin_snapshot")
  private let commitText = PreparedText("COMMIT", name: "commit")
  private let rollBackText = PreparedText("ROLLBACK", name: "rollback")

  // The pipeline's.
  var unanswered: [Sent] = []
  var isReading = false
  weak var reader: PostgresStatement?
  /// The values of the statement that is being sent, each with a zero at its end.
  var outgoing: [UInt8] = []
  var roundTrips = 0

  private var lockTimeout: Int32
  /// For how many milliseconds an answer is awaited.
  var answerTimeout = usualSilenceMilliseconds

  /// Statements that are kept prepared.
  private static let largestTextCount = 512
  private static let connectTimeoutSeconds = 5
  /// How long the server works on one statement.
  private static let statementTimeoutSeconds = 60
  /// How long it may be silent while an answer is awaited.
  static let usualSilenceMilliseconds: Int32 = 65_000

  /// - Parameter lockTimeoutMilliseconds: how long a statement waits for another transaction.
  init(
    url: String, lockTimeoutMilliseconds: Int32
  ) throws(LedgerError) {
    self.url = url
    lockTimeout = lockTimeoutMilliseconds
    do {
      try connect()
    } catch .unavailable(let reason) {
      throw .cannotOpen(path: LedgerLocation.postgresql(url: url).description, reason: reason)
    }
  }

  deinit {
    close()
  }

  // MARK: The connection

  /// libpq's parameters, unless the URL states others. With them, a dead peer is noticed within ten
  /// seconds.
  private static let defaults = [
    ("fallback_application_name", "catraca"),
    ("connect_timeout", String(connectTimeoutSeconds)),
    ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("keepalives_count", "2"),
    ("tcp_user_timeout", "8000"),
  ]

  private func connect() throws(LedgerError) {
    let parameters =
      PostgresConnection.defaults + [("dbname", url), ("client_encoding", "UTF8")]
    guard let opened = unsafe PostgresConnection.open(parameters) else {
      throw .unavailable(reason: "no memory for a connection")
    }
    guard unsafe PQstatus(opened) == CONNECTION_OK else {
      let reason = unsafe PostgresConnection.message(of: opened)
      unsafe PQfinish(opened)
      throw .unavailable(reason: reason)
    }
    unsafe catraca_pq_ignore_notices(opened)
    unsafe handle = opened
    generation += 1
    hasKnownSchema = false
    unsafe PQenterPipelineMode(opened)
    try execute(
      """
      SET statement_timeout = '\(PostgresConnection.statementTimeoutSeconds)s';
      SET lock_timeout = \(max(lockTimeout, 1));
      SET idle_in_transaction_session_timeout = '\(PostgresConnection.statementTimeoutSeconds)s'
      """, silence: answerTimeout)
  }

  private static func open(_ parameters: [(String, String)]) -> OpaquePointer? {
    var keywords = unsafe parameters.map { unsafe UnsafePointer(strdup($0.0)) }
    var values = unsafe parameters.map { unsafe UnsafePointer(strdup($0.1)) }
    defer {
      unsafe (keywords + values).forEach { text in
        unsafe free(UnsafeMutableRawPointer(mutating: text))
      }
    }
    unsafe keywords.append(nil)
    unsafe values.append(nil)
    return unsafe PQconnectdbParams(keywords, values, 1)
  }

  /// In one line.
  private static func message(of handle: OpaquePointer?) -> String {
    let text = unsafe PQerrorMessage(handle).map { unsafe String(cString: $0) } ?? ""
    return text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  /// Connects again where that is needed and nothing of a transaction would be lost.
  func requireConnection() throws(LedgerError) {
    if unsafe handle != nil, !isInTransaction, unanswered.isEmpty, hasBeenHungUp { close() }
    if unsafe handle != nil { return }
    guard !isInTransaction else { throw .unavailable(reason: "the connection was lost") }
    try connect()
  }

  /// Whether the server has closed it while it was idle.
  private var hasBeenHungUp: Bool {
    var socket = unsafe pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
    // The server's last messages come before the end of the connection.
    while unsafe poll(&socket, 1, 0) > 0 {
      if unsafe PQconsumeInput(handle) == 0 || PQstatus(handle) != CONNECTION_OK { return true }
    }
    return false
  }

  /// Closes it; the next transaction connects again.
  func close() {
    guard let open = unsafe handle else { return }
    unsafe PQfinish(open)
    unsafe handle = nil
    unanswered.removeAll()
    isReading = false
    reader = nil
  }

  /// Closes a connection that is of no use any more, and says why.
  func lose(_ reason: String? = nil) -> LedgerError {
    lastFailureIsWorthRepeating = false
    let reason = unsafe reason ?? PostgresConnection.message(of: handle)
    close()
    return .unavailable(reason: reason.isEmpty ? "the connection was lost" : reason)
  }

  /// The server's process that serves it.
  var processID: Int32? { unsafe handle.map { unsafe PQbackendPID($0) } }

  /// Whether somebody else can use it.
  var isReusable: Bool {
    unsafe handle != nil && !isInTransaction && unanswered.isEmpty && !isReading
      && PQtransactionStatus(handle) == PQTRANS_IDLE
  }

  // MARK: Statements

  /// How long a statement waits for another transaction; at least a millisecond.
  func setLockTimeout(milliseconds: Int32) {
    guard milliseconds != lockTimeout else { return }
    lockTimeout = milliseconds
    // One that is lost meanwhile takes it over when it is made anew.
    guard unsafe handle != nil else { return }
    try? execute("SET lock_timeout = \(max(milliseconds, 1))", silence: answerTimeout)
  }

  /// Runs statements that answer nothing and take no values.
  ///
  /// - Parameter silence: for how many milliseconds an answer is awaited; without end for -1.
  func execute(_ sql: String, silence: Int32 = -1) throws(LedgerError) {
    try requireConnection()
    try makeWay()
    try synchronize()
    guard unsafe PQexitPipelineMode(handle) == 1, unsafe PQsendQuery(handle, sql) == 1 else {
      throw lose()
    }
    roundTrips += 1
    var failure: PostgresFailure?
    while let result = try nextResult(silence: silence) {
      if result.kind == .failure, failure == nil { failure = result.failure }
    }
    guard unsafe PQenterPipelineMode(handle) == 1 else { throw lose() }
    if let failure { throw error(failure) }
  }

  func prepare(_ sql: String, on loan: PostgresLoan?) throws(LedgerError) -> PostgresStatement {
    if let known = texts[sql] { return PostgresStatement(known, of: self, on: loan) }
    if texts.count >= PostgresConnection.largestTextCount, isReusable {
      try execute("DEALLOCATE ALL")
      generation += 1
      texts.removeAll()
    }
    textCount += 1
    let text = PreparedText(sql, name: "s\(textCount)")
    texts[sql] = text
    return PostgresStatement(text, of: self, on: loan)
  }

  // MARK: Transactions

  func beginTransaction() throws(LedgerError) {
    try beginTransaction(by: begin)
  }

  private func beginTransaction(by text: PreparedText) throws(LedgerError) {
    lastFailureIsWorthRepeating = false
    try requireConnection()
    isInTransaction = true
    try send(text, [])
  }

  /// All that is read until it is rolled back is of one instant.
  func beginReadingSnapshot() throws(LedgerError) {
    try beginTransaction(by: beginSnapshot)
  }

  func commit() throws(LedgerError) {
    try makeWay()
    try send(commitText, [])
    let last: PostgresResult?
    do {
      last = try synchronize()
    } catch {
      isCommitUncertain = unsafe handle == nil
      throw error
    }
    // If a statement had failed before, the server answers ROLLBACK.
    guard last?.command == "COMMIT" else { throw lose("a transaction could not be committed") }
    isInTransaction = false
  }

  /// Ends a transaction that failed.
  func rollBack() {
    defer { isInTransaction = false }
    guard unsafe handle != nil else { return }
    discardRows()
    // The call that failed has thrown its error already.
    _ = try? synchronize()
    guard unsafe handle != nil, unsafe PQtransactionStatus(handle) != PQTRANS_IDLE else { return }
    do {
      try send(rollBackText, [])
      try synchronize()
    } catch {
      close()
    }
  }
}
