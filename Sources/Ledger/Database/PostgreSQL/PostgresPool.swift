internal import EventLoop
internal import Glibc

/// Connections to one database that readers and editors borrow: never more than `largestSize`.
final class PostgresPool: Sendable {
  /// A connection on its way between threads: nobody else has it then, so that it never is two
  /// threads' at a time.
  private struct Handover: @unchecked Sendable {
    let connection: PostgresConnection
  }

  private struct State {
    var idle: [Handover] = []
    /// Those that are lent and those that are idle.
    var count = 0
  }

  private enum Offer {
    case idle(Handover)
    case room
    case nothing
  }

  static let largestSize = 8
  /// How long to wait for one that is lent.
  static let patience = Duration.seconds(5)
  private static let pauseMicroseconds: useconds_t = 2_000

  private static let pools = Lock<[String: PostgresPool]>([:])

  private let url: String
  private let state = Lock(State())

  private init(url: String) {
    self.url = url
  }

  /// The pool of the process for this database.
  static func of(_ url: String) -> PostgresPool {
    pools.withLock { pools in
      let pool = pools[url] ?? PostgresPool(url: url)
      pools[url] = pool
      return pool
    }
  }

  /// A connection, whose statements wait this long for others' transactions. Throws `unavailable`
  /// when all are lent for too long, and what connecting throws.
  func borrow(
    lockTimeoutMilliseconds: Int32, patience: Duration = PostgresPool.patience
  ) throws(LedgerError) -> PostgresLoan {
    let start = MonotonicInstant.now()
    while true {
      switch offer() {
      case .idle(let handover):
        handover.connection.answerTimeout = PostgresConnection.usualSilenceMilliseconds
        handover.connection.setLockTimeout(milliseconds: lockTimeoutMilliseconds)
        return PostgresLoan(handover.connection, from: self)
      case .room: return PostgresLoan(try connect(lockTimeoutMilliseconds), from: self)
      case .nothing: break
      }
      guard MonotonicInstant.now().elapsed(since: start) < patience else {
        throw .unavailable(
          reason: "all \(PostgresPool.largestSize) connections for reading are in use")
      }
      // Seldom, and off every loop: who is waiting here reads or edits for an administrator.
      usleep(PostgresPool.pauseMicroseconds)
    }
  }

  private func offer() -> Offer {
    state.withLock { state in
      if let handover = state.idle.popLast() { return .idle(handover) }
      guard state.count < PostgresPool.largestSize else { return .nothing }
      state.count += 1
      return .room
    }
  }

  private func connect(_ lockTimeoutMilliseconds: Int32) throws(LedgerError) -> PostgresConnection {
    do {
      return try PostgresConnection(url: url, lockTimeoutMilliseconds: lockTimeoutMilliseconds)
    } catch {
      state.withLock { $0.count -= 1 }
      throw error
    }
  }

  /// A connection that is broken, or in the middle of a transaction, isn't lent again.
  fileprivate func giveBack(_ connection: PostgresConnection) {
    let handover = connection.isReusable ? Handover(connection: connection) : nil
    state.withLock { state in
      if let handover { state.idle.append(handover) } else { state.count -= 1 }
    }
  }
}

/// A connection that was borrowed: given back when nobody refers to it any more, neither a
/// `DatabaseConnection` nor a statement that was prepared on it.
final class PostgresLoan {
  let connection: PostgresConnection
  private let pool: PostgresPool

  fileprivate init(_ connection: PostgresConnection, from pool: PostgresPool) {
    self.connection = connection
    self.pool = pool
  }

  deinit {
    pool.giveBack(connection)
  }
}
