import Money
import Pricing
import Testing
import Time

@testable import Ledger

@Suite struct ChargeOutboxTests {
  private let folder = TemporaryFolder()
  private let later = Sample.admitted.advanced(by: .seconds(60))

  /// A ledger with a fixed fee and two charges that are due.
  private func outbox() async throws -> ChargeOutbox {
    let ledger = try folder.ledger()
    let billing = PlanBilling(
      fixedFee: Money(minorUnits: 40_000, currency: Sample.brl)!, included: 10,
      overage: PlanBilling.Overage(
        every: 60, charge: Money(minorUnits: 10_000, currency: Sample.brl)!))
    try await ledger.syncBilling(
      [
        BillingAgreement(
          clientID: "acme", plan: "pro", startDay: 1, today: Sample.day, status: .pending,
          billing: billing)
      ], at: Sample.admitted)
    try await ledger.settle(Sample.settlement(1))
    await ledger.close()
    return try ChargeOutbox(at: folder.location)
  }

  private func charge(_ block: Int) throws -> BillingCharge {
    try LedgerReader(at: folder.location).charges(where: [:])[block]
  }

  @Test("Blocks are due at once, the fixed fee is for a subscription to collect")
  func due() async throws {
    let outbox = try await outbox()
    let due = try outbox.due(at: Sample.admitted, limit: 9)
    #expect(due.map(\.charge.block) == [1, 2])
    #expect(due.allSatisfy { !$0.isUncertain && $0.attempt == 0 })
    #expect(try charge(0).status == .pending)
  }

  @Test(
    "A charge that one server has claimed isn't due for another for five minutes", .ofPostgreSQL)
  func claimed() async throws {
    let (outbox, other) = (try await outbox(), try ChargeOutbox(at: folder.location))
    let charge = try charge(1)
    #expect(try outbox.claim(charge, at: later))
    #expect(try !other.claim(charge, at: later))
    #expect(try other.nextAttempt(after: later) == later.advanced(by: .seconds(300)))
    #expect(try other.due(at: later, limit: 9).map(\.charge.block) == [2])
    #expect(try other.claim(charge, at: later.advanced(by: .seconds(300))))
  }

  @Test("An outage puts a charge off; a payment that was sent is uncertain until it is known")
  func postponed() async throws {
    let outbox = try await outbox()
    let first = try charge(1)
    try outbox.noteSending(first.id, attempt: 0, at: Sample.admitted)
    try outbox.note(
      .postponed(reason: "gone", nextAttemptAt: later), of: first, at: Sample.admitted)
    #expect(try outbox.due(at: Sample.admitted, limit: 9).map(\.charge.block) == [2])
    #expect(try outbox.nextAttempt(after: Sample.admitted) == later)
    let due = try #require(try outbox.due(at: later, limit: 9).first { $0.charge.block == 1 })
    #expect(due.isUncertain && due.charge.attempts == 1 && due.charge.failingSince == nil)
    try outbox.note(.succeeded(payment: "pi_1"), of: first, at: later)
    #expect(try charge(1).status == .succeeded && charge(1).paymentID == "pi_1")
    try outbox.note(.refused(reason: "late", payment: nil), of: first, at: later)
    #expect(try charge(1).status == .succeeded)
  }

  @Test("What isn't paid is told once, and its client paused once it has failed for long enough")
  func unpaid() async throws {
    let outbox = try await outbox()
    for _ in 1...2 {
      try outbox.note(
        .refused(reason: "declined", payment: "pi_1"), of: try charge(1), at: Sample.admitted)
    }
    let reader = try LedgerReader(at: folder.location)
    let alerts = try reader.alertLog(where: [:], LogRange(limit: 9))
    #expect(alerts.map(\.content.alert.kind) == [.paymentFailed(charge: "chg_02")])
    #expect(try reader.reportedAlerts(liveAt: Sample.admitted).isEmpty)
    let before = Sample.admitted.advanced(by: .seconds(-1))
    #expect(try !outbox.pauseUnpaid(failingSince: before, at: later))
    #expect(try outbox.pauseUnpaid(failingSince: Sample.admitted, at: later))
    #expect(try reader.storedClients().overdue == ["acme"])
    #expect(try !outbox.pauseUnpaid(failingSince: Sample.admitted, at: later))
    try outbox.note(.succeeded(payment: "pi_2"), of: try charge(1), at: later)
    #expect(try outbox.pauseUnpaid(failingSince: Sample.admitted, at: later))
    #expect(try reader.storedClients().overdue.isEmpty)
  }

  @Test("A retry makes an unpaid charge due at once, and leaves a paid one")
  func retries() async throws {
    let outbox = try await outbox()
    let editor = try LedgerEditor(
      at: folder.location, author: LedgerEditor.Author(actor: "token:a", now: later))
    try outbox.note(.needsAction(reason: "3DS", payment: nil), of: try charge(1), at: later)
    #expect(try outbox.due(at: later, limit: 9).map(\.charge.block) == [2])
    #expect(try editor.retryCharge(2).status == .pending)
    #expect(try outbox.due(at: later, limit: 9).map(\.charge.block) == [2, 1])
    try outbox.note(.succeeded(payment: "pi_1"), of: try charge(1), at: later)
    #expect(try editor.retryCharge(2).status == .succeeded)
    #expect(throws: LedgerError.notFound(record: "charge chg_99")) { try editor.retryCharge(99) }
  }
}
