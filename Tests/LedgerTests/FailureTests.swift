import Testing

@testable import Ledger

/// A file is made to fail by another connection that holds its write lock, a database by letting
/// nobody in.
@Suite struct FailureTests {
  @Test("Intents are refused while the ledger can't be written, and accepted again afterwards")
  func intentsAreRefused() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    let obstacle = try folder.obstacle()
    let error = await #expect(throws: LedgerError.self) {
      try await ledger.open(Sample.intent(1))
    }
    #expect(error?.description.contains(obstacle.complaint) == true)
    #expect(!ledger.isHealthy)
    try obstacle.remove()
    try await ledger.open(Sample.intent(2))
    #expect(ledger.isHealthy)
    await ledger.close()
    #expect(
      try LedgerReader(at: folder.location).openIntents().map(\.requestID) == [Sample.id(2)])
  }

  @Test("Settlements and discards go to the spool, and from there into the ledger, once")
  func settlementsAreSpooled() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    for number in 1...3 { try await ledger.open(Sample.intent(number)) }
    let obstacle = try folder.obstacle()
    try await ledger.settle(Sample.settlement(1, conversation: "c1"))
    try await ledger.discard(Sample.id(2))
    #expect(ledger.health.spooledEntries == 2)
    #expect(!ledger.isHealthy)
    try obstacle.remove()
    while !ledger.isHealthy { await Task.yield() }
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.usageRows(limit: 10) == [Sample.row(1, conversation: "c1")])
    #expect(try reader.openIntents().map(\.requestID) == [Sample.id(3)])
    #expect(try reader.audit() == [])
    await ledger.close()
    #expect(try folder.read("catraca.db.spool").isEmpty)
  }

  @Test("A start drains the spool of a killed process before it estimates the rest")
  func startDrainsSpool() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    for number in 1...3 { try await ledger.open(Sample.intent(number)) }
    let obstacle = try folder.obstacle()
    try await ledger.settle(Sample.settlement(1))
    try await ledger.discard(Sample.id(2))
    let killed = try folder.copy()
    try obstacle.remove()
    await ledger.close()
    try killed.write("catraca.db.spool", #"{"settle":{"row":{"request_id"#)

    let restarted = try killed.ledger()
    #expect(restarted.drainedEntries == 2)
    #expect(restarted.recoveredRequests == 1)
    await restarted.close()
    let reader = try LedgerReader(at: killed.location)
    #expect(
      try reader.usageRows(limit: 10) == [Sample.intent(3).interrupted.row, Sample.row(1)])
    #expect(try reader.audit() == [])
  }

  @Test("A spool that was partly written is replayed without repeating anything")
  func replayIsIdempotent() throws {
    let folder = TemporaryFolder()
    let database = try LedgerDatabase(folder.options())
    let entries: [Entry] = [
      .open(interrupted: Sample.intent(1).interrupted), .settle(Sample.settlement(1)),
      .open(interrupted: Sample.intent(2).interrupted), .discard(Sample.id(2)),
      .open(interrupted: Sample.intent(3).interrupted),
    ]
    let lines = entries.map { String(decoding: $0.line(), as: UTF8.self) }
    for count in [1, 3, 5, 5] {
      try database.replay(Array(lines.prefix(count)))
    }
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.usageRows(limit: 10) == [Sample.row(1)])
    #expect(try reader.openIntents().map(\.requestID) == [Sample.id(3)])
    #expect(try reader.audit() == [])
  }

  @Test("With the policy `allow`, intents are spooled and a killed process loses nothing")
  func allowSpoolsIntents() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger(onFailure: .allow)
    let obstacle = try folder.obstacle()
    try await ledger.open(Sample.intent(1))
    try await ledger.open(Sample.intent(2))
    try await ledger.settle(Sample.settlement(1))
    let killed = try folder.copy()
    let restarted = try killed.ledger()
    #expect(restarted.drainedEntries == 3)
    #expect(restarted.recoveredRequests == 1)
    await restarted.close()
    let rows = try LedgerReader(at: killed.location).usageRows(limit: 10)
    #expect(rows == [Sample.intent(2).interrupted.row, Sample.row(1)])
    try obstacle.remove()
    await ledger.close()
  }

  @Test("Where neither database nor spool can be written, the caller waits until one can")
  func callerWaitsForASafePlace() async throws {
    let folder = TemporaryFolder()
    var options = folder.options()
    options.largestSpoolBytes = 0
    let ledger = try ServerLedger(options)
    try await ledger.open(Sample.intent(1))
    let obstacle = try folder.obstacle()
    async let settled: Void = ledger.settle(Sample.settlement(1))
    while ledger.isHealthy { await Task.yield() }
    #expect(ledger.health.spooledEntries == 0)
    try obstacle.remove()
    try await settled
    await ledger.close()
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.usageRows(limit: 10) == [Sample.row(1)])
    #expect(try reader.audit() == [])
  }

  @Test("Where neither database nor spool can be written, `allow` refuses intents too")
  func nothingBeginsWithoutAPlace() async throws {
    let folder = TemporaryFolder()
    var options = folder.options()
    options.onFailure = .allow
    options.largestSpoolBytes = 0
    let ledger = try ServerLedger(options)
    let obstacle = try folder.obstacle()
    let error = await #expect(throws: LedgerError.self) {
      try await ledger.open(Sample.intent(1))
    }
    #expect(error?.description.contains("catraca.db.spool") == true)
    try obstacle.remove()
    try await ledger.open(Sample.intent(2))
    await ledger.close()
    #expect(
      try LedgerReader(at: folder.location).openIntents().map(\.requestID) == [Sample.id(2)])
  }

  @Test("A full disk fails the batch and spoils nothing", .ofFiles)
  func fullDisk() throws {
    let folder = TemporaryFolder()
    let database = try LedgerDatabase(folder.options())
    try database.commit([.settle(Sample.settlement(0))])
    try database.connection.execute("PRAGMA max_page_count = 1")
    var written = 1
    let error = #expect(throws: LedgerError.self) {
      while written < 10_000 {
        try database.commit([.settle(Sample.settlement(written))])
        written += 1
      }
    }
    #expect(error?.description.contains("full") == true)
    try database.connection.execute("PRAGMA max_page_count = 1000000")
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.usageRows(limit: 10_000).count == written)
    #expect(try reader.audit() == [])
    try database.commit([.settle(Sample.settlement(written))])
    #expect(try reader.audit() == [])
  }

  @Test("A spooled line that can't be read stops the start and is left where it is")
  func brokenSpoolIsKept() throws {
    let folder = TemporaryFolder()
    let line = "{\"settle\":{\"row\":{}}}\n"
    try folder.write("catraca.db.spool", line)
    let error = #expect(throws: LedgerError.self) { try folder.ledger() }
    #expect(error?.description.contains("catraca.db.spool") == true)
    #expect(try folder.read("catraca.db.spool") == Array(line.utf8))
  }

  @Test("More denials than can wait are dropped and counted, and the rest is written")
  func denialsAreBounded() async throws {
    let queue = CommandQueue()
    for number in 0..<UnawaitedRows.largestDenialCount + 5 { queue.submit(Sample.denial(number)) }
    #expect(queue.droppedDenials == 5)
    let work = queue.take()
    #expect(work.rows.denials.count == UnawaitedRows.largestDenialCount)
  }
}
