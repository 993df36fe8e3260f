import Testing

@testable import Ledger
@testable import Simulation

@Suite("A log whose frames are written together")
struct JoinedLogTests {
  private static let path = "/ledger.db"

  /// A database on a disk of its own, in WAL mode, with an empty table.
  private final class House {
    let disk: SimulatedDisk
    private var connection: SQLiteConnection?

    var writer: SQLiteConnection {
      get throws { try #require(connection) }
    }

    /// Connections end before the disk does that they are on.
    deinit { connection = nil }

    init(_ name: String, joinsLog: Bool = true, settings: String = "") throws {
      disk = SimulatedDisk(name: "joined-log-\(name)", seed: 7)
      let writer = try SQLiteConnection(
        path: path, access: .readWrite, busyTimeoutMilliseconds: 0, fileSystem: disk.name,
        joinsLog: joinsLog)
      try writer.execute(
        """
        \(settings) PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
        PRAGMA temp_store = MEMORY;
        CREATE TABLE texts (number INTEGER PRIMARY KEY, text TEXT);
        """)
      connection = writer
    }

    /// The value that another connection reads.
    func read(_ sql: String) throws -> String? {
      let reader = try SQLiteConnection(
        path: path, access: .readWrite, busyTimeoutMilliseconds: 0, fileSystem: disk.name)
      let statement = try reader.prepare(sql)
      defer { statement.reset() }
      return try statement.step() ? statement.text(0) : nil
    }

    /// Rows that exist and their numbers' sum, and whether the file is whole.
    func contents() throws -> String {
      let sums = try read("SELECT count(*) || ' ' || coalesce(sum(number), 0) FROM texts") ?? "-"
      return "\(sums) \(try read("PRAGMA integrity_check") ?? "-")"
    }
  }

  /// Of a page each.
  private static func insert(_ numbers: Range<Int>) -> String {
    let rows = numbers.map { "(\($0), '\(String(repeating: "x", count: 3_000))')" }
    return "INSERT INTO texts VALUES \(rows.joined(separator: ", "));"
  }

  @Test("A transaction of many pages is one write, and so is the next")
  func oneWrite() throws {
    let house = try House("one")
    try house.writer.execute(Self.insert(0..<1))
    house.disk.die(afterWrites: 2)
    try house.writer.execute(Self.insert(1..<20))
    try house.writer.execute(Self.insert(20..<30))
    #expect(throws: LedgerError.self) { try house.writer.execute(Self.insert(30..<31)) }

    let usual = try House("usual", joinsLog: false)
    try usual.writer.execute(Self.insert(0..<1))
    usual.disk.die(afterWrites: 2)
    #expect(throws: LedgerError.self) { try usual.writer.execute(Self.insert(1..<20)) }
  }

  static let settings = [
    "", "PRAGMA page_size = 512;", "PRAGMA page_size = 65536;",
    // A transaction writes and reads again what doesn't fit.
    "PRAGMA cache_size = 2;", "PRAGMA page_size = 65536; PRAGMA cache_size = 1;",
  ]

  @Test(
    "Others see each transaction as soon as it has ended, and nothing of one that is taken back",
    arguments: settings, ["NORMAL", "FULL"])
  func transactions(settings: String, synchronous: String) throws {
    let house = try House("\(settings)-\(synchronous)", settings: settings)
    try house.writer.execute("PRAGMA synchronous = \(synchronous)")
    try house.writer.execute(Self.insert(0..<1))
    #expect(try house.contents() == "1 0 ok")
    // More than may wait.
    try house.writer.execute(Self.insert(1..<200))
    #expect(try house.contents() == "200 19900 ok")
    try house.writer.execute("BEGIN; \(Self.insert(200..<300)) DELETE FROM texts;")
    #expect(try house.contents() == "200 19900 ok")
    try house.writer.execute("ROLLBACK")
    #expect(try house.contents() == "200 19900 ok")
    try house.writer.execute(
      """
      BEGIN; \(Self.insert(200..<210)) SAVEPOINT here; \(Self.insert(210..<300))
      UPDATE texts SET text = 'y' || text WHERE number % 3 = 0;
      ROLLBACK TO here; \(Self.insert(210..<220)) COMMIT;
      """)
    #expect(try house.contents() == "220 24090 ok")
    // The log begins anew.
    #expect(try house.read("PRAGMA wal_checkpoint(RESTART)") == nil)
    for number in 220..<240 { try house.writer.execute(Self.insert(number..<number + 1)) }
    #expect(try house.contents() == "240 28680 ok")
    try house.writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try house.contents() == "240 28680 ok")
  }

  @Test(
    "What has been told survives a death, and nothing else", arguments: settings,
    ["NORMAL", "FULL"])
  func deaths(settings: String, synchronous: String) throws {
    let house = try House("\(settings)-\(synchronous)-death", settings: settings)
    try house.writer.execute("PRAGMA synchronous = \(synchronous)")
    // Pages are written, read again, and written over where they are in the log.
    let rewriting = (0..<5).map { _ in "UPDATE texts SET text = 'y' || text WHERE number % 3 = 0;" }
    try house.writer.execute(
      "BEGIN; \(Self.insert(0..<100)) \(rewriting.joined(separator: " ")) COMMIT")
    try house.writer.execute("BEGIN; \(Self.insert(100..<150))")
    house.disk.kill()
    house.disk.revive()
    #expect(try house.contents() == "100 4950 ok")
    let sizes = "SELECT min(length(text)) || ' ' || max(length(text)) FROM texts"
    #expect(try house.read(sizes) == "3000 3005")
  }

  @Test("What a transaction leaves that is taken back isn't written over what others commit")
  func othersCommit() throws {
    let house = try House("others", settings: "PRAGMA cache_size = 2;")
    try house.writer.execute(Self.insert(0..<2))
    try house.writer.execute("BEGIN; \(Self.insert(2..<12)) ROLLBACK")
    let other = try SQLiteConnection(
      path: Self.path, access: .readWrite, busyTimeoutMilliseconds: 0,
      fileSystem: house.disk.name)
    try other.execute(Self.insert(20..<40))
    try house.writer.execute(Self.insert(40..<50))
    #expect(try house.contents() == "32 1036 ok")
    house.disk.kill()
    house.disk.revive()
    #expect(try house.contents() == "32 1036 ok")
  }

  @Test("What a transaction leaves waiting that ends without it is never written")
  func forgotten() {
    var frames = JoinedFrames()
    var written = 0
    func write(_ count: Int, at offset: Int64) {
      [UInt8](repeating: 0, count: count).withUnsafeBytes { bytes in
        _ = frames.write(bytes, at: offset) { bytes, _ in
          written += bytes.count
          return 0
        }
      }
    }
    write(24, at: 32)
    write(512, at: 56)
    frames.forgetTransaction()
    // Changes nothing of what waits, but writes it.
    write(32, at: 0)
    #expect(written == 32)
  }

  @Test("A transaction that the disk has no room for has not been, and later ones are")
  func fullDisk() throws {
    let house = try House("full")
    try house.writer.execute(Self.insert(0..<2))
    house.disk.fill(leaving: 10_000)
    for _ in 0..<3 {
      #expect(throws: LedgerError.self) { try house.writer.execute(Self.insert(2..<20)) }
      #expect(try house.contents() == "2 1 ok")
    }
    house.disk.empty()
    try house.writer.execute(Self.insert(2..<4))
    #expect(try house.contents() == "4 6 ok")
  }
}
