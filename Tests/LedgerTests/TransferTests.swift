import Budgets
import Testing
import Time

@testable import Ledger

@Suite("A ledger in a file is copied into a database", .ofPostgreSQL)
struct TransferTests {
  private let file = TemporaryFolder(ofFile: ())
  private let target = TemporaryFolder()

  private func transfer() throws -> LedgerTransfer {
    let transfer = try LedgerTransfer(from: file.ledgerPath, to: target.location)
    transfer.batch = 2
    return transfer
  }

  private func fill(_ numbers: ClosedRange<Int> = 1...5) async throws {
    let ledger = try file.ledger()
    for number in numbers {
      try await ledger.settle(Sample.settlement(number, conversation: "c\(number)"))
    }
    ledger.record(Sample.denial(100))
    await ledger.close()
  }

  private func count(_ table: String) throws -> Int64? {
    try target.connection().prepare("SELECT count(*) FROM \(table)").firstInteger()
  }

  @Test("All of it is there afterwards, with its numbers, and new rows get the next")
  func copiesAll() async throws {
    try await fill()
    let editor = try LedgerEditor(
      at: file.location, author: LedgerEditor.Author(actor: "cli:t", now: Sample.admitted))
    _ = try editor.addAdminToken("first", sha256: "00")
    var seen = 0
    let outcome = try transfer().run { seen += 1 }
    #expect(outcome.rows == outcome.copiedRows)
    #expect(Int64(seen) == outcome.rows)

    let before = try LedgerReader(at: file.location)
    let after = try LedgerReader(at: target.location)
    #expect(try after.usageRows(limit: 10) == before.usageRows(limit: 10))
    #expect(try after.adminTokens() == ["first": "00"])
    #expect(try after.budgetAccounts(liveAt: nil) == before.budgetAccounts(liveAt: nil))
    #expect(try after.audit() == [])

    let ledger = try target.ledger()
    try await ledger.settle(Sample.settlement(6))
    await ledger.close()
    #expect(try after.usageLogEntry(Sample.id(6))?.id == 6)
    #expect(try after.audit() == [])
  }

  @Test("What a killed server left in flight is copied as it ended")
  func settlesWhatWasInFlight() async throws {
    let ledger = try file.ledger()
    try await ledger.open(Sample.intent(1))
    let killed = try file.copy()
    await ledger.close()
    _ = try LedgerTransfer(from: killed.ledgerPath, to: target.location).run {}
    let row = try #require(try LedgerReader(at: target.location).usageRow(Sample.id(1)))
    #expect(row.outcome == .interrupted)
  }

  @Test("One that was interrupted goes on where it stopped")
  func goesOn() async throws {
    try await fill()
    let whole = try transfer().run {}
    let connection = try target.connection()
    try connection.execute(
      "DELETE FROM usage_logs WHERE id > 2; DELETE FROM usage_totals; DELETE FROM token_usage")
    let rest = try transfer().run {}
    #expect(rest == LedgerTransfer.Outcome(tables: whole.tables, rows: whole.rows, copiedRows: 5))
    #expect(try transfer().run {}.copiedRows == 0)
    #expect(try LedgerReader(at: target.location).audit() == [])
  }

  @Test(
    "A database with rows of its own is left alone",
    arguments: [
      "INSERT INTO admin_tokens VALUES ('own', 'admin', '00', '2026-11-22')",
      "UPDATE usage_logs SET total_tokens = total_tokens + 1 WHERE id = 1",
      "DELETE FROM usage_logs WHERE id = 1",
    ])
  func refusesOtherRows(change: String) async throws {
    try await fill()
    _ = try transfer().run {}
    try target.connection().execute(change)
    let rows = try count("usage_logs")
    let error = #expect(throws: LedgerError.self) { _ = try transfer() }
    guard case .notEmpty = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(try count("usage_logs") == rows)
  }

  @Test("A ledger that a server serves from isn't copied")
  func refusesALedgerInUse() async throws {
    try await fill()
    let ledger = try file.ledger()
    let error = #expect(throws: LedgerError.self) { _ = try transfer() }
    guard case .inUse = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    await ledger.close()
  }

  @Test(
    "Any text arrives as it is",
    arguments: ["", "\\N", "\\.", "a\tb", "a\nb\r\n", "\\t\\\\", "{\"a\":\"é🙂\"}", "'; --"])
  func copiesAnyText(text: String) async throws {
    try await fill(1...1)
    let connection = try file.connection()
    let update = try connection.prepare("UPDATE usage_logs SET metadata = ?")
    update.bind(text, at: 1)
    try update.run()
    _ = try transfer().run {}
    let select = try target.connection().prepare("SELECT metadata FROM usage_logs")
    #expect(try select.rows { fields in fields.text("metadata") } == [text])
  }
}
