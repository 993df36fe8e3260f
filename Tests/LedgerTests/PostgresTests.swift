import EventLoop
import Glibc
import Testing
import Time

@testable import Ledger

@Suite("A ledger in PostgreSQL", .ofPostgreSQL) struct PostgresTests {
  private let folder = TemporaryFolder()

  private func postgres(_ lockTimeout: Int32 = 10_000) throws -> PostgresConnection {
    guard case .postgresql(let url) = folder.location else { throw LedgerError.closed }
    return try PostgresConnection(url: url, lockTimeoutMilliseconds: lockTimeout)
  }

  @Test("Values come back as they were bound, those of every kind")
  func values() throws {
    let select = try folder.connection().prepare(
      """
      SELECT CAST(?1 AS BIGINT), CAST(?2 AS TEXT), CAST(?3 AS BIGINT) = 1, CAST(?4 AS NUMERIC),
        CAST(?5 AS DOUBLE PRECISION), CAST(?6 AS TEXT)
      """)
    for (number, text) in [(Int64.min, ""), (.max, "it's ü \\ ?"), (0, "\u{1F600}"), (-7, "a\nb")] {
      select.bind(number, at: 1)
      select.bind(text, at: 2)
      select.bind(Int64(1), at: 3)
      select.bind(number, at: 4)
      select.bind("0.5", at: 5)
      select.bind("a\0b", at: 6)
      #expect(try select.step())
      #expect(select.integer(0) == number && select.text(0) == nil)
      #expect(select.text(1) == text && select.integer(1) == nil)
      #expect(select.integer(2) == 1)
      #expect(select.integer(3) == number)
      #expect(select.double(4) == 0.5)
      // Its texts can't have a zero in them.
      #expect(select.text(5) == "a\u{FFFD}b")
      #expect(try !select.step())
    }
    select.bind(nil as Int64?, at: 1)
    select.bind(nil as String?, at: 2)
    #expect(try select.step())
    #expect(select.integer(0) == nil && select.text(1) == nil && select.text(0) == nil)
    select.reset()
  }

  @Test("While rows of one statement are read, others can run")
  func nested() throws {
    let connection = try folder.connection()
    let outer = try connection.prepare("SELECT * FROM generate_series(1, 5) AS n ORDER BY n")
    let inner = try connection.prepare("SELECT CAST(?1 AS BIGINT) * 2")
    var answers: [Int64?] = []
    try outer.forEachRow { () throws(LedgerError) in
      inner.bind(outer.integer(0), at: 1)
      answers.append(try inner.firstInteger())
    }
    #expect(answers == [2, 4, 6, 8, 10])
  }

  @Test("Statements that nobody reads wait for one that somebody does, and tell it their failure")
  func pipelined() throws {
    let connection = try postgres()
    try connection.execute("CREATE TABLE marks (mark BIGINT PRIMARY KEY)")
    let insert = try connection.prepare("INSERT INTO marks VALUES (?)", on: nil)
    let count = try connection.prepare("SELECT count(*) FROM marks", on: nil)
    let before = connection.roundTrips
    try connection.beginTransaction()
    for number in 1...100 {
      insert.bind(Int64(number), at: 1)
      try insert.run()
    }
    #expect(try count.step())
    #expect(count.integer(0) == 100)
    count.reset()
    try connection.commit()
    #expect(connection.roundTrips - before == 2)

    try connection.beginTransaction()
    try insert.run()
    insert.bind(Int64(101), at: 1)
    try insert.run()
    let error = #expect(throws: LedgerError.self) { try connection.commit() }
    // The value that is there twice isn't told.
    #expect(error?.description.contains("duplicate key") == true)
    #expect(error?.description.contains("100") == false)
    connection.rollBack()
    #expect(try count.step())
    #expect(count.integer(0) == 100)
  }

  @Test("What prepares a statement in a transaction that fails before can be run afterwards")
  func preparedLater() throws {
    let connection = try postgres()
    let fails = try connection.prepare("SELECT 1 / (CAST(? AS BIGINT) - 1)", on: nil)
    let other = try connection.prepare("SELECT 5", on: nil)
    fails.bind(Int64(1), at: 1)
    try connection.beginTransaction()
    try fails.run()
    #expect(throws: LedgerError.self) { try other.step() }
    connection.rollBack()
    #expect(try other.step())
    #expect(other.integer(0) == 5)
  }

  @Test("A connection that the server has ended is made anew, but not within a transaction")
  func reconnects() throws {
    let connection = try postgres()
    let select = try connection.prepare("SELECT 7", on: nil)
    func end() throws {
      _ = try select.step()
      select.reset()
      let pid = try #require(connection.processID)
      try TestServer.execute("SELECT pg_terminate_backend(\(pid), 5000)")
    }
    try end()
    #expect(try select.step())
    #expect(select.integer(0) == 7)
    select.reset()
    try connection.beginTransaction()
    try end()
    #expect(throws: LedgerError.self) { try select.step() }
    #expect(throws: LedgerError.self) { try select.step() }
    connection.rollBack()
    #expect(try select.step())
  }

  @Test("A statement waits no longer for another transaction than it may")
  func lockTimeout() throws {
    let holder = try postgres()
    try holder.execute("CREATE TABLE t (a BIGINT)")
    try holder.beginTransaction()
    try holder.execute("LOCK TABLE t IN ACCESS EXCLUSIVE MODE")
    let error = #expect(throws: LedgerError.self) { try postgres(1).execute("SELECT * FROM t") }
    #expect(error?.description.contains("lock timeout") == true)
    holder.rollBack()
  }

  @Test("Servers that start together bring a database to the newest schema once")
  func startTogether() async throws {
    let location = folder.location
    let applied = try await withThrowingTaskGroup(of: [Int].self) { group in
      for _ in 1...4 { group.addTask { try ServerLedger.migrate(at: location) } }
      return try await group.reduce([]) { $0 + $1 }
    }
    #expect(applied.sorted() == Migration.all.map(\.number))
  }

  @Test("Several servers write to one ledger, and its sums are those of all their rows")
  func severalWriters() async throws {
    var options = folder.options()
    options.busyTimeoutMilliseconds = 60_000
    let ledgers = try (1...3).map { _ in try ServerLedger(options) }
    let months = ["2026-11-22T07:30:00.123Z", "2026-12-31T23:59:59.999Z", "2024-02-29T00:00:00Z"]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<150 {
        group.addTask {
          let ledger = ledgers[number % 3]
          try await ledger.open(Sample.intent(number))
          var settlement = Sample.settlement(
            number, client: ["acme", "globex"][number % 2], conversation: "c\(number % 7)")
          settlement.row.createdAt = Timestamp(rfc3339: months[number % 5 % 3])!
          try await ledger.settle(settlement)
        }
      }
      try await group.waitForAll()
    }
    let recorded = ledgers.map { $0.recordedUsage.sums.values.map(\.requests).reduce(0, +) }
    #expect(recorded == [50, 50, 50])
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.usageRows(limit: 1_000).count == 150)
    #expect(try reader.audit() == [])
    let partitions = try folder.connection().prepare(
      "SELECT count(DISTINCT tableoid) FROM usage_logs")
    #expect(try partitions.firstInteger() == 3)
    // Each has a spool of its own.
    #expect(folder.names.filter { $0.hasSuffix(".spool") }.count == 3)
    for ledger in ledgers { await ledger.close() }
  }

  @Test("A start writes what a server that is no more has left in its spool")
  func abandonedSpools() async throws {
    let first = try folder.ledger()
    let second = try folder.ledger()
    await second.close()
    try folder.write(
      "catraca.db.2.spool",
      String(decoding: Entry.settle(Sample.settlement(1)).line(), as: UTF8.self))
    try folder.write(
      "catraca.db.3.spool",
      String(decoding: Entry.settle(Sample.settlement(2)).line(), as: UTF8.self))
    let third = try folder.ledger()
    #expect(third.drainedEntries == 2)
    #expect(try LedgerReader(at: folder.location).usageRows(limit: 9).count == 2)
    await third.close()
    await first.close()
  }

  @Test("A commit of which nobody knows whether it was made is made once")
  func lostCommit() async throws {
    guard case .postgresql(let url) = folder.location else { return }
    let server = try #require(url.split(separator: ":").last?.split(separator: "/").first)
    let proxy = try CuttingProxy(toPort: try #require(UInt16(server)))
    defer { proxy.close() }
    var options = folder.options()
    options.location = .postgresql(url: url.replacing(":\(server)/", with: ":\(proxy.port)/"))
    let ledger = try ServerLedger(options)
    try await ledger.open(Sample.intent(1))
    proxy.cut(after: "commit")
    await #expect(throws: LedgerError.self) { try await ledger.open(Sample.intent(2)) }
    while !ledger.isHealthy { await Task.yield() }
    proxy.cut(after: "commit")
    try await ledger.settle(Sample.settlement(1))
    while !ledger.isHealthy { await Task.yield() }
    #expect(proxy.cutCount == 2)
    await ledger.close()
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.usageRows(limit: 9) == [Sample.row(1)])
    // The second was refused: it never began.
    #expect(try reader.openIntents().isEmpty)
    #expect(try reader.audit() == [])
  }

  @Test("Readers share a few connections; one too many is told so")
  func pool() throws {
    guard case .postgresql(let url) = folder.location else { return }
    let pool = PostgresPool.of(url)
    var loans = try (1...PostgresPool.largestSize).map { _ in
      try pool.borrow(lockTimeoutMilliseconds: 1_000)
    }
    #expect(throws: LedgerError.self) {
      try pool.borrow(lockTimeoutMilliseconds: 1_000, patience: .zero)
    }
    let first = loans.removeFirst().connection
    let again = try pool.borrow(lockTimeoutMilliseconds: 1_000, patience: .zero)
    #expect(again.connection === first)
    again.connection.close()
  }

  @Test("What the offline reserve pays for begins at once though the policy is to refuse it")
  func opensOnReserve() async throws {
    var options = folder.options()
    options.isShared = true
    let ledger = try ServerLedger(options)
    let shared = SharedAccount(folder)
    _ = try await ledger.draw([shared.request(10, of: 16_000)])
    let obstacle = try folder.obstacle()
    for number in 1...3 {
      try await ledger.open(shared.intent(number, bound: 100))
    }
    #expect(ledger.health.spooledEntries == 3)
    // The rest of it is too little: this one waits, and is refused.
    await #expect(throws: LedgerError.self) {
      try await ledger.open(shared.intent(4, bound: 100))
    }
    try await ledger.settle(shared.settlement(1, used: 20))
    try await ledger.open(shared.intent(5, bound: 100))
    try obstacle.remove()
    while !ledger.isHealthy { await Task.yield() }
    #expect(try LedgerReader(at: folder.location).openIntents().count == 3)
    await ledger.close()
  }
}

@Suite("Where a ledger is") struct LedgerLocationTests {
  @Test(
    "A password is never shown",
    arguments: [
      ("postgresql://u:secret@db:5432/x", "postgresql://db:5432/x"),
      ("postgresql://u:sec?ret/@secret@db/x", "postgresql://db/x"),
      ("postgresql:///x?host=/run/postgresql&password=secret", "postgresql:///x"),
      ("postgres://db/x", "postgresql://db/x"), ("postgresql://", "postgresql://"),
    ])
  func redacted(url: String, name: String) {
    #expect(LedgerLocation.postgresql(url: url).description == name)
    #expect("\(LedgerError.notALedger(path: name))".contains("secret") == false)
  }
}
