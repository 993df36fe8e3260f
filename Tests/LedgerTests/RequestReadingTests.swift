import Money
import Testing

@testable import Ledger

@Suite struct RequestReadingTests {
  @Test("A row's charges are those that it was settled with")
  func findsCharges() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    var settlement = Sample.settlement(1)
    // A budget in a third currency, whose cost the row itself doesn't tell.
    settlement.charges.append(
      BudgetCharge(
        account: Sample.account("acme/euro", currency: Currency("EUR")!), tokens: 7,
        costNano: 123))
    try await ledger.settle(settlement)
    await ledger.close()
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.budgetCharges(of: settlement.row) == settlement.charges)
    #expect(try reader.budgetCharges(of: Sample.row(2)) == [])
  }

  @Test("A refusal is found by its request")
  func findsDenial() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    for number in 1...3 { ledger.record(Sample.denial(number)) }
    await ledger.close()
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.denial(Sample.id(2)) == Sample.denial(2))
    #expect(try reader.denial(Sample.id(4)) == nil)
  }

  @Test(
    "Weeks begin on Monday",
    arguments: [
      ("2026-11-22", "2026-11-16"), ("2026-11-23", "2026-11-23"), ("2026-11-29", "2026-11-23"),
      ("2027-01-01", "2026-12-28"),
    ])
  func sumsByWeek(day: String, monday: String) async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    try await ledger.settle(Sample.settlement(1))
    await ledger.close()
    try folder.connection().execute("UPDATE usage_daily SET day = '\(day)'")
    let totals = try LedgerReader(at: folder.location).usageTotals(
      of: UsageQuery(by: .week, where: [.client: "acme"]))
    #expect(totals.map(\.key) == [monday])
  }

  @Test(
    "What is no charge is refused", arguments: ["", "x", "1:2", "1:2:3:4", "1:", ":1:2", "1:x:3"])
  func refusesOtherText(text: String) {
    #expect(RecordedCharge(text) == nil)
  }
}
