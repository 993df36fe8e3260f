import EventLoop
import Glibc
import Testing

@testable import Ledger

@Suite struct LogWatchTests {
  /// The step after commits, each with the log's length and the number of its copied pages.
  static let cases: [(name: String, hasHelper: Bool, commits: [(Int, Int)], LogWatch.Step)] = [
    ("a short log", true, [(1_023, 0)], .nothing),
    ("4 MiB", true, [(1_024, 0)], .copyBeside),
    ("a little more, asked for already", true, [(1_024, 0), (1_100, 0)], .nothing),
    ("4 MiB more", true, [(1_024, 0), (2_048, 1_024)], .copyBeside),
    ("a log that began anew", true, [(9_000, 0), (20, 0), (1_050, 1_050)], .copyBeside),
    ("more copied than there is: of the log before", true, [(16_400, 20_000)], .copyBeside),
    ("a long log, much to copy", true, [(16_384, 10_000)], .copyBeside),
    ("a long log, little to copy", true, [(16_384, 16_300)], .copyNow),
    ("a long log, tried just now", true, [(16_384, 16_300), (16_400, 16_384)], .nothing),
    ("a long log, tried a while ago", true, [(16_384, 16_300), (16_448, 16_384)], .copyNow),
    ("far too long, whatever there is to copy", true, [(32_768, 0)], .copyNow),
    ("15 MiB, without a helper", false, [(4_000, 0)], .nothing),
    ("16 MiB, without a helper", false, [(4_096, 0)], .copyNow),
    ("16 MiB more, without a helper", false, [(4_096, 0), (8_000, 0)], .nothing),
  ]

  @Test("The log is copied by whom it keeps waiting least", arguments: cases)
  func steps(
    _ example: (name: String, hasHelper: Bool, commits: [(Int, Int)], step: LogWatch.Step)
  ) {
    var watch = LogWatch(hasHelper: example.hasHelper)
    var last = LogWatch.Step.nothing
    for (frames, copied) in example.commits { last = watch.step(frames: frames, copied: copied) }
    #expect(last == example.step, "\(example.name)")
  }
}

@Suite(.ofFiles) struct CheckpointerTests {
  private static let rowsOfBatch = 128

  private static let longText = "{\"text\":\"\(String(repeating: "x", count: 40_000))\"}"

  /// Of some eleven pages.
  private func settlement(_ number: Int) -> SettledRequest {
    var settlement = Sample.settlement(number)
    settlement.row.metadata = Self.longText
    return settlement
  }

  /// Commits some 1,400 pages.
  private func commit(_ batch: Int, to database: LedgerDatabase) throws {
    let settlements = (0..<Self.rowsOfBatch).map { settlement(batch * Self.rowsOfBatch + $0) }
    try database.commit(settlements.lazy.map { .settle($0) })
    database.keepLogShort()
  }

  @Test("What is committed gets into the file beside the writer, who does nothing for it")
  func filledBeside() throws {
    let folder = TemporaryFolder()
    let database = try LedgerDatabase(folder.options())
    try database.startCheckpointer(folder.options())
    try commit(0, to: database)
    let end = MonotonicInstant.now().advanced(by: .seconds(60))
    while database.copiedOfLog < database.connection.logFrames {
      try #require(.now() < end, "nothing was copied within a minute")
      sched_yield()
    }
    let alone = TemporaryFolder()
    try File(path: alone.ledgerPath).append(try folder.read("catraca.db"))
    #expect(try LedgerReader(at: alone.location).usageRows(limit: 1_000).count == Self.rowsOfBatch)
    try database.checkpoint()
  }

  @Test("The log begins anew again and again, and nothing is lost")
  func beginsAnew() throws {
    let folder = TemporaryFolder()
    let database = try LedgerDatabase(folder.options())
    try database.startCheckpointer(folder.options())
    var lengths: [Int] = []
    let batches = 40
    for batch in 0..<batches {
      try commit(batch, to: database)
      lengths.append(database.connection.logFrames)
    }
    // However slow the disk is that the helper waits for.
    #expect(lengths.reduce(0, max) < LogWatch.longest + 8_000, "\(lengths)")
    #expect(zip(lengths, lengths.dropFirst()).contains { $0 > $1 }, "\(lengths)")
    try database.checkpoint()
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.usageRows(limit: 100_000).count == batches * Self.rowsOfBatch)
    #expect(try reader.audit() == [])
  }

  @Test("A server's ledger has a helper")
  func helpsServers() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    // More than the helper waits for, and less than the writer would copy alone.
    for number in 0..<Self.rowsOfBatch { try await ledger.settle(settlement(number)) }
    let end = MonotonicInstant.now().advanced(by: .seconds(60))
    while try folder.read("catraca.db").count < 3 << 20 {
      try #require(.now() < end, "nothing was copied within a minute")
      await Task.yield()
    }
    await ledger.close()
  }

  @Test("Without a helper the writer copies the log, after its commits")
  func copiedByTheWriter() throws {
    let folder = TemporaryFolder()
    let database = try LedgerDatabase(folder.options())
    var lengths: [Int] = []
    for batch in 0..<6 {
      try commit(batch, to: database)
      lengths.append(database.connection.logFrames)
    }
    let longest = lengths.reduce(0, max)
    #expect(LogWatch.intervalAlone..<LogWatch.intervalAlone + 3_000 ~= longest, "\(lengths)")
    #expect(zip(lengths, lengths.dropFirst()).contains { $0 > $1 }, "\(lengths)")
  }
}
