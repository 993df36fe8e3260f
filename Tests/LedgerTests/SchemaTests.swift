import Glibc
import Testing

@testable import Ledger

@Suite struct SchemaTests {
  @Test("A fresh file gets every migration, a reopened one none")
  func migratesOnce() throws {
    let folder = TemporaryFolder()
    #expect(try SQLiteLedger.migrate(path: folder.ledgerPath) == Migration.all.map(\.number))
    #expect(try SQLiteLedger.migrate(path: folder.ledgerPath) == [])
    let migrations = try folder.connection().prepare("SELECT count(*) FROM schema_migrations")
    #expect(try migrations.firstInteger() == Int64(Migration.all.count))
  }

  @Test("Migrations are numbered from one without gaps")
  func numbersAscend() {
    #expect(Migration.all.map(\.number) == Array(1...Migration.all.count))
  }

  @Test("A file of a later release is refused by writer and reader")
  func refusesLaterSchema() throws {
    let folder = TemporaryFolder()
    _ = try SQLiteLedger.migrate(path: folder.ledgerPath)
    try folder.connection().execute(
      "INSERT INTO schema_migrations (number, name) VALUES (999, 'later')")
    let expected = LedgerError.tooNew(
      path: folder.ledgerPath, found: 999, known: Migration.newest)
    #expect(throws: expected) { try folder.ledger() }
    #expect(throws: expected) { try LedgerReader(path: folder.ledgerPath) }
  }

  @Test("A database of another program is refused and left as it is")
  func refusesForeignDatabase() throws {
    let folder = TemporaryFolder()
    try folder.connection().execute("CREATE TABLE songs (title TEXT)")
    #expect(throws: LedgerError.notALedger(path: folder.ledgerPath)) { try folder.ledger() }
    let tables = try folder.connection().prepare("SELECT count(*) FROM sqlite_schema")
    #expect(try tables.firstInteger() == 1)
  }

  @Test("A file that is no database, and a folder that is missing, are told apart from others")
  func refusesWhatIsNoDatabase() throws {
    let folder = TemporaryFolder()
    try folder.write("catraca.db", String(repeating: "not a database ", count: 100))
    #expect(throws: LedgerError.self) { try folder.ledger() }
    let error = #expect(throws: LedgerError.self) {
      try SQLiteLedger(SQLiteLedger.Options(path: "\(folder.path)/missing/catraca.db"))
    }
    #expect(error?.description.contains("No such file or directory") == true)
  }

  @Test("A reader neither creates nor migrates a file")
  func readerNeedsALedger() throws {
    let folder = TemporaryFolder()
    #expect(throws: LedgerError.self) { try LedgerReader(path: folder.ledgerPath) }
    #expect(folder.names.isEmpty)
    try folder.write("catraca.db", "")
    #expect(
      throws: LedgerError.tooOld(path: folder.ledgerPath, found: 0, known: Migration.newest)
    ) { try LedgerReader(path: folder.ledgerPath) }
  }

  @Test("A second server on the same file is told who has it; a reader is let in")
  func oneServerAFile() async throws {
    let folder = TemporaryFolder()
    let first = try folder.ledger()
    #expect(throws: LedgerError.inUse(path: folder.ledgerPath, processID: getpid())) {
      try folder.ledger()
    }
    #expect(try LedgerReader(path: folder.ledgerPath).usageRows(limit: 1).isEmpty)
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
