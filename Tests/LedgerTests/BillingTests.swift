import Money
import Pricing
import Randomness
import Testing
import Time

@testable import Ledger

/// Agreements and use, as the writer charges them.
@Suite struct BillingTests {
  private let folder = TemporaryFolder()

  private static let billing = PlanBilling(
    fixedFee: Money(minorUnits: 40_000, currency: Sample.brl)!, included: 800,
    overage: PlanBilling.Overage(
      every: 800, charge: Money(minorUnits: 10_000, currency: Sample.brl)!))

  private func agreement(
    _ client: String = "acme", _ billing: PlanBilling = billing, startDay: Int = 1,
    today: CivilDate = Sample.day, status: BillingCharge.Status = .recorded
  ) -> BillingAgreement {
    BillingAgreement(
      clientID: client, plan: "pro", startDay: startDay, today: today, status: status,
      billing: billing)
  }

  private func use(
    _ tokens: Int64, _ number: Int, on day: CivilDate = Sample.day, client: String = "acme"
  ) -> SettledRequest {
    var row = Sample.row(number, client: client, usage: Usage(inputTokens: tokens)!)
    row.day = day
    return SettledRequest(row: row, charges: [], priceRecord: Sample.prices)
  }

  private func charges(_ conditions: [ChargeColumn: String] = [:]) throws -> [BillingCharge] {
    try LedgerReader(at: folder.location).charges(where: conditions)
  }

  @Test("The fixed fee is charged when the plan begins, a block when its lower end is passed")
  func blocks() async throws {
    let ledger = try folder.ledger()
    try await ledger.syncBilling([agreement()], at: Sample.admitted)
    try await ledger.settle(use(800, 1))
    #expect(try charges().map(\.tier) == ["0-800"])
    try await ledger.settle(use(1, 2))
    try await ledger.settle(use(1699, 3))
    let all = try charges()
    #expect(all.map(\.name) == ["chg_01", "chg_02", "chg_03", "chg_04"])
    #expect(all.map(\.block) == [0, 1, 2, 3])
    #expect(all.map(\.tier) == ["0-800", "800-1600", "1600-2400", "2400-3200"])
    #expect(all.map(\.amount) == [40_000, 10_000, 10_000, 10_000])
    #expect(all.map(\.tokensTotal) == [0, 801, 2500, 2500])
    #expect(all.map(\.requestID) == [nil, Sample.id(2), Sample.id(3), Sample.id(3)])
    #expect(all.allSatisfy { $0.status == .recorded && $0.period == "2026-11" })
    await ledger.close()
    #expect(try LedgerReader(at: folder.location).audit() == [])
  }

  @Test("A row that is written again, and one of an unbilled client, charge nothing")
  func nothingTwice() async throws {
    let ledger = try folder.ledger()
    try await ledger.syncBilling([agreement()], at: Sample.admitted)
    for _ in 1...2 { try await ledger.settle(use(900, 1)) }
    try await ledger.settle(use(9000, 2, client: "beta"))
    #expect(try charges().map(\.block) == [0, 1])
    await ledger.close()
  }

  @Test("What a killed process left in flight and in the spool is charged by its agreement")
  func recovery() async throws {
    let ledger = try folder.ledger()
    try await ledger.syncBilling([agreement()], at: Sample.admitted)
    try await ledger.settle(use(790, 1))
    try await ledger.open(Sample.intent(2))
    let killed = try folder.copy()
    let line = String(decoding: Entry.settle(use(800, 3)).line(), as: UTF8.self)
    try killed.write("catraca.db.spool", line)
    let restarted = try killed.ledger()
    #expect((restarted.recoveredRequests, restarted.drainedEntries) == (1, 1))
    try await restarted.syncBilling([agreement()], at: Sample.admitted)
    await restarted.close()
    let reader = try LedgerReader(at: killed.location)
    let all = try reader.charges(where: [:])
    #expect(all.map(\.block) == [0, 1, 2])
    #expect(all.map(\.requestID) == [nil, Sample.id(3), Sample.id(2)])
    #expect(try reader.audit() == [])
    await ledger.close()
  }

  @Test("Fixed fees of periods that began while nothing ran are charged, none before the plan")
  func missedPeriods() async throws {
    let ledger = try folder.ledger()
    try await ledger.syncBilling([agreement(startDay: 31)], at: Sample.admitted)
    let later = CivilDate(year: 2027, month: 3, day: 1)!
    for _ in 1...2 {
      try await ledger.syncBilling(
        [agreement(startDay: 31, today: later)], at: Sample.admitted)
    }
    #expect(try charges().map(\.period) == ["2026-10", "2026-11", "2026-12", "2027-01", "2027-02"])
    let reader = try LedgerReader(at: folder.location)
    let statement = try #require(
      try reader.billingStatement(of: "acme", period: "2027-02")?.period)
    #expect(
      (statement.firstDay, statement.endDay) == (later.adding(days: -1), later.adding(days: 30)))
    await ledger.close()
  }

  @Test("A late row counts in the period of its day, and a new period starts at nothing")
  func lateRows() async throws {
    let ledger = try folder.ledger()
    try await ledger.syncBilling([agreement()], at: Sample.admitted)
    let december = CivilDate(year: 2026, month: 12, day: 1)!
    try await ledger.settle(use(800, 1))
    try await ledger.settle(use(800, 2, on: december))
    try await ledger.settle(use(1, 3))
    try await ledger.settle(use(5000, 4, on: CivilDate(year: 2026, month: 10, day: 31)!))
    let all = try charges()
    #expect(all.map(\.period) == ["2026-11", "2026-12", "2026-11"])
    #expect(all.map(\.block) == [0, 0, 1])
    await ledger.close()
    #expect(try LedgerReader(at: folder.location).audit() == [])
  }

  @Test(
    "A plan that begins charges what was used since its period began; a second one no block twice")
  func changes() async throws {
    let ledger = try folder.ledger()
    try await ledger.settle(use(1000, 1))
    try await ledger.syncBilling([agreement()], at: Sample.admitted)
    #expect(try charges().map(\.block) == [0, 1])
    let small = PlanBilling(
      fixedFee: Money(minorUnits: 1, currency: Sample.brl)!, included: 100,
      overage: PlanBilling.Overage(
        every: 300, charge: Money(minorUnits: 7, currency: Sample.brl)!))
    try await ledger.syncBilling([agreement("acme", small)], at: Sample.admitted)
    #expect(try charges().map(\.amount) == [40_000, 10_000, 7, 7])
    try await ledger.syncBilling([], at: Sample.admitted)
    try await ledger.settle(use(99, 2))
    #expect(try charges().count == 4)
    await ledger.close()
    #expect(try LedgerReader(at: folder.location).audit() == [])
  }

  @Test("Use can be measured by what it costs")
  func costs() async throws {
    let ledger = try folder.ledger()
    // A token of the samples costs five nano-units of BRL.
    let billing = PlanBilling(
      fixedFee: Money(nanoUnits: 0, currency: Sample.brl), measure: .cost, included: 1000,
      overage: PlanBilling.Overage(
        every: 500, charge: Money(minorUnits: 7, currency: Sample.brl)!))
    try await ledger.syncBilling([agreement("acme", billing)], at: Sample.admitted)
    for number in 1...4 { try await ledger.settle(use(101, number)) }
    let all = try charges()
    #expect(all.map(\.block) == [1, 2, 3])
    #expect(all.map(\.requestID) == [Sample.id(2), Sample.id(3), Sample.id(4)])
    #expect(all.first?.tier == "0.000001-0.0000015 BRL")
    await ledger.close()
    #expect(try LedgerReader(at: folder.location).audit() == [])
  }

  @Test("A period has so many blocks at most, whatever is reported")
  func bounded() async throws {
    let ledger = try folder.ledger()
    try await ledger.syncBilling([agreement()], at: Sample.admitted)
    try await ledger.settle(use(1_000_000_000_000, 1))
    try await ledger.settle(use(1_000_000_000_000, 2))
    #expect(try charges().count == Int(Biller.largestBlock) + 1)
    let outbox = try ChargeOutbox(at: folder.location)
    let full = ChargeOutbox.FullPeriod(clientID: "acme", period: "2026-11")
    #expect(try outbox.fullPeriods(since: "2026-10") == [full])
    #expect(try outbox.fullPeriods(since: "2026-12") == [])
    await ledger.close()
    let reader = try LedgerReader(at: folder.location)
    let period = try #require(try reader.billingStatement(of: "acme", period: "2026-11")).period
    // All but the first 800 tokens are in blocks of 800.
    #expect(try reader.periodUse(period).uncharged == 2_000_000_000_000 / 800 - 1 - 10_000)
    #expect(try LedgerReader(at: folder.location).audit() == [])
  }

  @Test("The audit names a charge that is missing, one too many, and one of another request")
  func audit() async throws {
    let ledger = try folder.ledger()
    try await ledger.syncBilling([agreement()], at: Sample.admitted)
    for number in 1...4 { try await ledger.settle(use(700, number)) }
    await ledger.close()
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.audit() == [])
    for (change, subject) in [
      ("DELETE FROM token_billing_charges WHERE block = 1", "acme 2026-11"),
      ("DELETE FROM token_billing_charges WHERE block = 0", "acme 2026-11 block 0"),
      (
        "UPDATE token_billing_charges SET request_id = '\(Sample.id(4))' WHERE block = 1",
        "acme 2026-11 block 1"
      ),
      (
        "UPDATE token_billing_charges SET amount_charged = 9999 WHERE block = 1",
        "acme 2026-11 block 1"
      ),
      (
        "UPDATE token_billing_charges SET amount_charged = 1 WHERE block = 0",
        "acme 2026-11 block 0"
      ),
      (
        "UPDATE token_billing_charges SET billing_tier = '1-2' WHERE block = 1",
        "acme 2026-11 block 1"
      ),
      (
        "UPDATE token_billing_charges SET used_above = 9999 WHERE block = 2", "acme 2026-11 block 2"
      ),
    ] {
      let copy = try folder.copy()
      try copy.connection().execute(change)
      let found = try LedgerReader(at: copy.location).audit()
      #expect(found.contains { $0.check == .charge && $0.subject == subject }, "\(change)")
    }
  }

  @Test(
    "For random plans and use, the charges are those of an independent calculation",
    arguments: 1...40)
  func randomUse(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let included = Int64.random(in: 0...3000, using: &random)
    let every = Int64.random(in: 1...2000, using: &random)
    let billing = PlanBilling(
      fixedFee: Money(minorUnits: 5, currency: Sample.brl)!, included: included,
      overage: PlanBilling.Overage(
        every: every, charge: Money(minorUnits: 3, currency: Sample.brl)!))
    let startDay = Int.random(in: 1...31, using: &random)
    let begin = Sample.day
    var ledger = try folder.ledger()
    try await ledger.syncBilling(
      [agreement("acme", billing, startDay: startDay)], at: Sample.admitted)
    var used: [String: Int64] = [:]
    var expected: Set<String> = []
    for number in 1...60 {
      let day = begin.adding(days: Int.random(in: 0...70, using: &random))
      let tokens = Int64.random(in: 1...900, using: &random)
      try await ledger.settle(use(tokens, number, on: day))
      // The month of the latest start day up to this one, found by walking back.
      var first = day
      while first.day != startDay
        && !(first.adding(days: 1).day == 1 && startDay > first.day)
      { first = first.adding(days: -1) }
      let period = String(first.description.prefix(7))
      used[period, default: 0] += tokens
      expected.insert("\(period)/0")
      var edge = included
      var block = 1
      while edge < used[period]! {
        expected.insert("\(period)/\(block)")
        edge += every
        block += 1
      }
      if Int.random(in: 0..<15, using: &random) == 0 {
        await ledger.close()
        ledger = try folder.ledger()
      }
    }
    await ledger.close()
    let start = BillingPeriod.name(
      beginningOn: agreement("acme", billing, startDay: startDay).period(containing: begin).firstDay
    )
    expected.insert("\(start)/0")
    let made = try charges().map { "\($0.period)/\($0.block)" }
    #expect(made.count == Set(made).count && Set(made) == expected)
    #expect(try LedgerReader(at: folder.location).audit() == [])
  }
}
