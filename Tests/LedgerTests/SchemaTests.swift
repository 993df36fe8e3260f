import Glibc
import Testing

@testable import Ledger

@Suite struct SchemaTests {
  @Test("A fresh file gets every migration, a reopened one none")
  func migratesOnce() throws {
    let folder = TemporaryFolder()
    #expect(try ServerLedger.migrate(at: folder.location) == Migration.all.map(\.number))
    #expect(try ServerLedger.migrate(at: folder.location) == [])
    let recorded = try folder.connection().prepare("SELECT count(*) FROM schema_migrations")
    #expect(try recorded.firstInteger() == Int64(Migration.all.count))
  }

  @Test("Migrations are numbered from one without gaps")
  func numbersAscend() {
    #expect(Migration.all.map(\.number) == Array(1...Migration.all.count))
  }

  /// Leaves the schema as a later release does after its next step.
  private func raiseSchema(of folder: TemporaryFolder, readableFrom: Int?) throws -> Int {
    let number = Migration.newest + 1
    try folder.connection().execute(
      """
      ALTER TABLE usage_logs ADD COLUMN later TEXT;
      CREATE TABLE later (id TEXT PRIMARY KEY);
      INSERT INTO schema_migrations (number, name, readable_from)
        VALUES (\(number), 'later', \(readableFrom.map { String($0) } ?? "NULL"))
      """)
    return number
  }

  @Test(
    "A ledger that only later releases can work with is refused by writer, reader and editor",
    arguments: [nil, Migration.newest + 1])
  func refusesLaterSchema(readableFrom: Int?) throws {
    let folder = TemporaryFolder()
    _ = try ServerLedger.migrate(at: folder.location)
    let number = try raiseSchema(of: folder, readableFrom: readableFrom)
    let expected = LedgerError.tooNew(
      path: folder.location.description, found: number, readableFrom: number,
      known: Migration.newest)
    #expect(throws: expected) { try folder.ledger() }
    #expect(throws: expected) { try LedgerReader(at: folder.location) }
    #expect(throws: expected) {
      try LedgerEditor(
        at: folder.location, author: .init(actor: "test", now: Sample.admitted))
    }
    #expect(throws: expected) { try ServerLedger.migrate(at: folder.location) }
  }

  @Test(
    "A ledger of a later release that only adds to it is written and read as before",
    arguments: [Migration.newest, 1])
  func worksWithAdditions(readableFrom: Int) async throws {
    let folder = TemporaryFolder()
    let first = try folder.ledger()
    try await first.open(Sample.intent(1))
    try await first.settle(Sample.settlement(1))
    _ = try raiseSchema(of: folder, readableFrom: readableFrom)
    // One that was running goes on, whatever it had prepared.
    try await first.open(Sample.intent(2))
    try await first.settle(Sample.settlement(2))
    await first.close()
    #expect(try ServerLedger.migrate(at: folder.location) == [])
    let second = try folder.ledger()
    try await second.open(Sample.intent(3))
    try await second.settle(Sample.settlement(3))
    await second.close()
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.usageRows(limit: 9).count == 3)
    #expect(try reader.audit() == [])
  }

  @Test("A step that only adds leaves who could work with the schema before")
  func additionsKeepReaders() throws {
    let folder = TemporaryFolder()
    let connection = try folder.connection()
    let steps = [true, true, false, true].enumerated().map { place, isAdditive in
      Migration(
        number: Migration.newest + 1 + place, name: "later", isAdditive: isAdditive
      ) { _ in "CREATE TABLE later\(place) (id TEXT) STRICT" }
    }
    let all = Migration.all + steps
    #expect(
      try DatabaseSchema.migrate(connection, at: folder.location, through: all) == all.map(\.number)
    )
    let recorded = try connection.prepare(
      """
      SELECT readable_from FROM schema_migrations WHERE number >= \(Migration.newest)
      ORDER BY number
      """
    ).rows { $0.integer("readable_from").map { Int($0) - Migration.newest } }
    let newest = try #require(recorded.first)
    #expect(recorded == [newest, newest ?? 0, newest ?? 0, nil, 3])
  }

  @Test("A later step changes a ledger with rows; one that fails changes nothing")
  func laterSteps() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    try await ledger.settle(Sample.settlement(1))
    await ledger.close()
    let connection = try folder.connection()
    let number = Migration.newest + 1
    let step = Migration(number: number, name: "later") { _ in
      """
      ALTER TABLE denials ADD COLUMN later TEXT NOT NULL DEFAULT '';
      UPDATE usage_logs SET agent_id = 'later';
      """
    }
    let failing = Migration(number: number + 1, name: "failing") { _ in
      "UPDATE usage_logs SET agent_id = 'failing'; DROP TABLE songs;"
    }
    #expect(throws: LedgerError.self) {
      try DatabaseSchema.migrate(
        connection, at: folder.location, through: Migration.all + [step, failing])
    }
    let agents = try connection.prepare("SELECT agent_id FROM usage_logs")
    #expect(try agents.rows { $0.text("agent_id") } == ["later"])
    let newest = try connection.prepare("SELECT max(number) FROM schema_migrations")
    #expect(try newest.firstInteger() == Int64(number))
    #expect(throws: LedgerError.self) { try LedgerReader(at: folder.location) }
  }

  @Test(
    "A ledger of a build before version 1 is refused by writer, reader, editor and migration",
    arguments: [[1, 35], [17, 35], []])
  func refusesEarlierBuild(steps: [Int]) throws {
    let folder = TemporaryFolder()
    let connection = try folder.connection()
    // SQLite's first step was then number 1, PostgreSQL's number 17.
    try connection.execute(
      """
      CREATE TABLE usage_logs (request_id TEXT);
      CREATE TABLE schema_migrations (number INTEGER PRIMARY KEY, name TEXT);
      """)
    for step in steps {
      try connection.execute("INSERT INTO schema_migrations VALUES (\(step), 'first tables')")
    }
    let expected = LedgerError.ofEarlierBuild(path: folder.location.description)
    #expect(throws: expected) { try folder.ledger() }
    #expect(throws: expected) { try LedgerReader(at: folder.location) }
    #expect(throws: expected) {
      try LedgerEditor(at: folder.location, author: .init(actor: "test", now: Sample.admitted))
    }
    #expect(throws: expected) { try ServerLedger.migrate(at: folder.location) }
    let recorded = try connection.prepare("SELECT count(*) FROM schema_migrations")
    #expect(try recorded.firstInteger() == Int64(steps.count))
  }

  @Test(
    "A database of another program is refused and left as it is",
    arguments: ["songs (title TEXT)", "schema_migrations (version BIGINT)"])
  func refusesForeignDatabase(table: String) throws {
    let folder = TemporaryFolder()
    try folder.connection().execute("CREATE TABLE \(table)")
    #expect(throws: LedgerError.notALedger(path: folder.location.description)) {
      try folder.ledger()
    }
    let name = try #require(table.split(separator: " ").first)
    let rows = try folder.connection().prepare("SELECT count(*) FROM \(name)")
    #expect(try rows.firstInteger() == 0)
    #expect(throws: LedgerError.self) {
      try folder.connection().prepare("SELECT 1 FROM usage_logs").run()
    }
  }

  @Test(
    "A file that is no database, and a folder that is missing, are told apart from others",
    .ofFiles)
  func refusesWhatIsNoDatabase() throws {
    let folder = TemporaryFolder()
    try folder.write("catraca.db", String(repeating: "not a database ", count: 100))
    #expect(throws: LedgerError.self) { try folder.ledger() }
    let error = #expect(throws: LedgerError.self) {
      try ServerLedger(ServerLedger.Options(.sqlite(path: "\(folder.path)/missing/catraca.db")))
    }
    #expect(error?.description.contains("No such file or directory") == true)
  }

  @Test("A reader neither creates nor migrates a file", .ofFiles)
  func readerNeedsALedger() throws {
    let folder = TemporaryFolder()
    #expect(throws: LedgerError.self) { try LedgerReader(at: folder.location) }
    #expect(folder.names.isEmpty)
    try folder.write("catraca.db", "")
    let name = folder.location.description
    #expect(
      throws: LedgerError.tooOld(path: name, found: 0, known: Migration.newest)
    ) { try LedgerReader(at: folder.location) }
  }

  @Test("A second server on the same file is told who has it; a reader is let in", .ofFiles)
  func oneServerAFile() async throws {
    let folder = TemporaryFolder()
    let first = try folder.ledger()
    #expect(throws: LedgerError.inUse(path: folder.ledgerPath, processID: getpid())) {
      try folder.ledger()
    }
    #expect(try LedgerReader(at: folder.location).usageRows(limit: 1).isEmpty)
    await first.close()
    await (try folder.ledger()).close()
  }

  @Test("The columns of an insert are the fields that a row writes, in their order")
  func columnsMatchFields() {
    var names = FieldNames()
    Sample.row(1).write(to: &names)
    names.write("begins_conversation", 0)
    names.write("budget_accounts", "")
    let columns = UsageLogStore.insertRow.split(separator: "(")[1].split(separator: ")")[0]
      .split { ", \n".contains($0) }.map { String($0) }
    #expect(columns == names.names)
  }

  private struct FieldNames: FieldWriter {
    var names: [String] = []
    mutating func write(_ name: StaticString, _ value: Int64?) { names.append("\(name)") }
    mutating func write(_ name: StaticString, _ value: String?) { names.append("\(name)") }
  }
}
