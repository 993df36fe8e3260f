import Glibc
import Synchronization
import Testing

@testable import Ledger

/// The PostgreSQL server that all ledgers of tests are on, where one is given.
enum TestServer {
  /// Its maintenance database, of a role that may make others.
  static let url = getenv("CATRACA_TEST_POSTGRES").map { String(cString: $0) }

  static var isGiven: Bool { url != nil }

  static func execute(_ sql: String) throws {
    guard let url else { return }
    try DatabaseConnection(
      .postgresql(url: url), access: .readWrite, busyTimeoutMilliseconds: 60_000
    )
    .execute(sql)
  }
}

extension Trait where Self == ConditionTrait {
  /// A test of what only a file has.
  static var ofFiles: ConditionTrait {
    .disabled(if: TestServer.isGiven, "This is about SQLite's files.")
  }

  /// A test of what only a database of several servers has.
  static var ofPostgreSQL: ConditionTrait {
    .enabled(if: TestServer.isGiven, "CATRACA_TEST_POSTGRES isn't set.")
  }
}

/// A database of its own, which goes to another test after the last reference.
///
/// To drop one takes the server longer than most tests: it writes what all databases have changed,
/// and waits for all connections.
final class TestDatabase: Sendable {
  private static let count = Atomic(0)
  private static let left = Mutex<[String]>([])

  let name: String
  private let server: String

  private init(_ server: String, made: (String) throws -> Void) rethrows {
    let number = TestDatabase.count.add(1, ordering: .relaxed).newValue
    self.server = server
    name = "catraca_\(getpid())_\(number)"
    try made(name)
  }

  convenience init(on server: String) {
    self.init(server) { name in
      #expect(throws: Never.self) { try TestDatabase.make(name, on: server) }
    }
  }

  deinit {
    // Databases that are left in the end go with the server, which is the tests' own.
    TestDatabase.left.withLock { $0.append(name) }
  }

  /// Makes an empty one, of one that another test has left where there is one.
  private static func make(_ name: String, on server: String) throws {
    if let other = left.withLock({ $0.popLast() }) {
      // Where somebody is in it who can't be sent away, it is left alone.
      do { return try clear(other, renamed: name, on: server) } catch {}
    }
    try TestServer.execute("CREATE DATABASE \(name)")
  }

  /// Ends the connections of clients. The server's own work, such as a vacuum, only a superuser may
  /// end, and the server ends it itself where it stands in the way.
  private static func sendAway(from name: String) -> String {
    """
    SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = '\(name)' AND backend_type = 'client backend'
    """
  }

  /// Under a new name nobody comes back to it.
  private static func clear(_ old: String, renamed new: String, on server: String) throws {
    try TestServer.execute(
      """
      \(sendAway(from: old));
      ALTER DATABASE \(old) ALLOW_CONNECTIONS true;
      ALTER DATABASE \(old) RENAME TO \(new)
      """)
    let location = LedgerLocation.postgresql(url: url(of: new, on: server))
    try DatabaseConnection(location, access: .readWrite, busyTimeoutMilliseconds: 60_000)
      .execute("DROP OWNED BY CURRENT_USER")
  }

  private var url: String { TestDatabase.url(of: name, on: server) }
  var location: LedgerLocation { .postgresql(url: url) }

  private static func url(of name: String, on server: String) -> String {
    let end = server.lastIndex(of: "/") ?? server.endIndex
    return "\(server[..<end])/\(name)"
  }

  /// As it stands at this instant, whoever is writing.
  func copy() throws -> TestDatabase {
    try TestDatabase(server) { name in
      try TestDatabase.make(name, on: server)
      let target = TestDatabase.url(of: name, on: server)
      let isCopied = run(
        "set -o pipefail; pg_dump '\(url)' | psql --quiet --set ON_ERROR_STOP=1 '\(target)'")
      if isCopied { return }
      // It lets nobody in: then nobody is in, and it can be copied as a whole.
      try TestServer.execute("DROP DATABASE \(name)")
      try TestServer.execute("CREATE DATABASE \(name) TEMPLATE \(self.name)")
    }
  }

  /// Whether a command succeeds; what it says goes nowhere.
  private func run(_ command: String) -> Bool {
    let shell = ["/bin/bash", "-c", "{ \(command); } >/dev/null 2>&1"]
    var arguments = shell.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    guard posix_spawn(&process, "/bin/bash", nil, nil, &arguments, environ) == 0 else {
      return false
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status == 0
  }

  /// Lets nobody in any more, as if the server were away.
  func block() -> TestDatabase {
    #expect(throws: Never.self) {
      try TestServer.execute("ALTER DATABASE \(name) ALLOW_CONNECTIONS false")
      try TestServer.execute(Self.sendAway(from: name))
    }
    return self
  }

  func unblock() throws {
    try TestServer.execute("ALTER DATABASE \(name) ALLOW_CONNECTIONS true")
  }
}

/// An obstacle that keeps a server from writing to a ledger.
enum Obstacle {
  case fileLocked(DatabaseConnection)
  case databaseAway(TestDatabase)

  func remove() throws {
    switch self {
    case .fileLocked(let connection): try connection.execute("ROLLBACK")
    case .databaseAway(let database): try database.unblock()
    }
  }

  /// The reason that a server logs when it can't write.
  var complaint: String {
    switch self {
    case .fileLocked: "database is locked"
    case .databaseAway: "not currently accepting connections"
    }
  }
}
