import Money
import Pricing
import Testing
import Time

@testable import Ledger

/// The effect of the payment provider's events on charges.
@Suite struct PaymentEventTests {
  private let folder = TemporaryFolder()
  private let later = Sample.admitted.advanced(by: .seconds(60))
  private static let customer = "cus_1"
  private static let amount: Int64 = 10_000

  /// A ledger with a fixed fee of each month from October on, and two blocks of November. The
  /// client's subscription at the provider is `sub_1`.
  private func makeLedger() async throws {
    let ledger = try folder.ledger()
    for month in [10, 11] {
      try await ledger.syncBilling(
        [
          BillingAgreement(
            clientID: "acme", plan: "pro", startDay: 1,
            today: CivilDate(year: 2026, month: month, day: 22)!, status: .pending,
            billing: PlanBilling(
              fixedFee: Money(minorUnits: Self.amount, currency: Sample.brl)!, included: 10,
              overage: PlanBilling.Overage(
                every: 60, charge: Money(minorUnits: Self.amount, currency: Sample.brl)!)))
        ], at: Sample.admitted)
    }
    try await ledger.settle(Sample.settlement(1))
    await ledger.close()
    try ChargeOutbox(at: folder.location).keep(
      PaymentAccount(clientID: "acme", customerID: Self.customer, subscriptionID: "sub_1"),
      at: Sample.admitted)
  }

  private func charge(_ block: Int64, _ period: String = "2026-11") throws -> BillingCharge {
    let charges = try LedgerReader(at: folder.location).charges(where: [.period: period])
    return try #require(charges.first { $0.block == block })
  }

  private func mismatches() throws -> [Alert] {
    try LedgerReader(at: folder.location).alertLog(where: [:], LogRange(limit: 99))
      .map(\.content.alert).filter { $0.type == "payment.mismatch" }
  }

  private static let paid = PaidAmount(
    amount: amount, currency: Sample.brl, customerID: customer)

  private func take(_ id: String, _ content: PaymentEvent.Content) throws -> PaymentOutcome {
    let editor = try LedgerEditor(
      at: folder.location, author: LedgerEditor.Author(actor: "stripe", now: later))
    return try editor.take(PaymentEvent(id: id, content: content, createdAt: later)) { _ in
      Payer(zone: TimeZoneRules(identifier: "America/Sao_Paulo")!, customerID: nil)
    }
  }

  private func take(
    _ id: String, _ attempt: ChargeAttempt, number: Int? = 0, paid: PaidAmount = paid,
    client: String = "acme"
  ) throws -> PaymentOutcome {
    try take(
      id,
      .payment(
        ChargePayment(
          clientID: client, period: "2026-11", block: 1, number: number, attempt: attempt,
          paid: paid)))
  }

  private func takeFee(
    _ id: String, _ attempt: ChargeAttempt, of start: String?, paid: PaidAmount = paid
  ) throws -> PaymentOutcome {
    try take(
      id,
      .fixedFee(
        FeePayment(
          subscriptionID: "sub_1", periodStart: start.flatMap { Timestamp(rfc3339: $0) },
          attempt: attempt, paid: paid)))
  }

  @Test("An event counts once, and neither an old one nor that of another payment undoes anything")
  func events() async throws {
    try await makeLedger()
    #expect(try take("evt_1", .needsAction(reason: "3DS", payment: "pi_1")) == .taken)
    #expect(try charge(1).status == .needsAction && charge(1).attempts == 0)
    #expect(try take("evt_1", .succeeded(payment: "pi_1")) == .takenBefore)
    #expect(try take("evt_2", .refused(reason: "canceled", payment: "pi_0")) == .taken)
    #expect(try charge(1).status == .needsAction)
    #expect(try take("evt_3", .succeeded(payment: "pi_1")) == .taken)
    #expect(try charge(1).status == .succeeded)
    #expect(try take("evt_4", .succeeded(payment: "pi_1")) == .taken)
    #expect(try take("evt_5", .refused(reason: "late", payment: "pi_1")) == .taken)
    #expect(try charge(1).status == .succeeded && mismatches().isEmpty)
  }

  @Test("The end of a payment that was given up doesn't touch the one that was sent after it")
  func givenUp() async throws {
    try await makeLedger()
    let outbox = try ChargeOutbox(at: folder.location)
    try outbox.note(
      .refused(reason: "declined", payment: "pi_1"), of: try charge(1), at: Sample.admitted)
    let editor = try LedgerEditor(
      at: folder.location, author: LedgerEditor.Author(actor: "token:a", now: later))
    _ = try editor.retryCharge(try charge(1).id)
    // The second attempt is sent, and the first one canceled; the server dies before the answer.
    try outbox.noteSending(try charge(1).id, attempt: 1, at: later)
    #expect(try take("evt_1", .refused(reason: "canceled", payment: "pi_1")) == .taken)
    var due = try #require(try outbox.due(at: later, limit: 9).first { $0.charge.block == 1 })
    #expect(due.isUncertain && due.attempt == 1 && due.charge.status == .pending)
    // That the first was paid after all is no payment, since the second is under way.
    guard case .differs = try take("evt_2", .succeeded(payment: "pi_1")) else {
      Issue.record("a payment that was given up pays the charge")
      return
    }
    due = try #require(try outbox.due(at: later, limit: 9).first { $0.charge.block == 1 })
    #expect(due.isUncertain)
    // Events about the second payment count.
    #expect(
      try take("evt_3", .needsAction(reason: "3DS", payment: "pi_2"), number: 1) == .taken)
    #expect(try charge(1).status == .needsAction && charge(1).paymentID == "pi_2")
    #expect(try take("evt_4", .succeeded(payment: "pi_2"), number: 1) == .taken)
    #expect(try charge(1).status == .succeeded && charge(1).paymentID == "pi_2")
    // Once it is paid, the other is a second payment of one charge.
    guard case .differs = try take("evt_5", .succeeded(payment: "pi_1")) else {
      Issue.record("a charge is paid twice, and nobody is told")
      return
    }
    let told = try mismatches().map(\.kind)
    #expect(told == Array(repeating: .paymentMismatch(charge: try charge(1).name), count: 2))
  }

  @Test(
    "A payment of another amount, currency or customer pays nothing, and is told",
    arguments: [
      PaidAmount(amount: 9_999, currency: Sample.brl, customerID: customer),
      PaidAmount(amount: -10_000, currency: Sample.brl, customerID: customer),
      PaidAmount(amount: .max, currency: Sample.brl, customerID: customer),
      PaidAmount(amount: 10_000, currency: .usd, customerID: customer),
      PaidAmount(amount: 10_000, currency: Sample.brl, customerID: "cus_2"),
      PaidAmount(amount: nil, currency: nil, customerID: nil),
    ])
  func mismatch(paid: PaidAmount) async throws {
    try await makeLedger()
    for (number, outcome) in [
      try take("evt_1", .succeeded(payment: "pi_1"), paid: paid),
      try takeFee(
        "evt_2", .succeeded(payment: "in_1"), of: "2026-11-01T03:00:00Z", paid: paid),
    ].enumerated() {
      guard case .differs = outcome else {
        Issue.record("payment \(number) is taken")
        continue
      }
    }
    #expect(try charge(0).status == .pending && charge(1).status == .pending)
    let told = try mismatches()
    #expect(told.count == 2 && told.allSatisfy { $0.limitValue == 100_000_000_000 })
    #expect(try take("evt_3", .succeeded(payment: "pi_1")) == .taken)
    #expect(try charge(1).status == .succeeded)
  }

  @Test("An invoice pays the month that it is for, by the client's calendar")
  func months() async throws {
    try await makeLedger()
    // In São Paulo it is still October.
    #expect(
      try takeFee("evt_1", .succeeded(payment: "in_1"), of: "2026-11-01T02:59:59Z") == .taken)
    #expect(try charge(0, "2026-10").status == .succeeded)
    #expect(try charge(0, "2026-11").status == .pending)
    // The same month once more, by another payment.
    guard
      case .differs = try takeFee(
        "evt_2", .succeeded(payment: "in_2"), of: "2026-10-05T00:00:00Z")
    else {
      Issue.record("a month is paid twice, and nobody is told")
      return
    }
    #expect(try charge(0, "2026-11").status == .pending)
    #expect(
      try takeFee("evt_3", .succeeded(payment: "in_3"), of: "2026-11-01T03:00:00Z") == .taken)
    #expect(try charge(0, "2026-11").status == .succeeded)
  }

  @Test("An invoice of no month, or of one before the first, pays nothing")
  func otherMonths() async throws {
    try await makeLedger()
    for (id, start) in [("evt_1", nil), ("evt_2", "2026-09-15T00:00:00Z")] as [(String, String?)] {
      guard case .differs = try takeFee(id, .succeeded(payment: "in_1"), of: start) else {
        Issue.record("an invoice of \(start ?? "no month") is taken")
        continue
      }
    }
    #expect(try charge(0, "2026-10").status == .pending)
    #expect(try charge(0, "2026-11").status == .pending)
  }

  @Test("An invoice of a month that hasn't begun here is taken when it comes again")
  func earlyInvoice() async throws {
    try await makeLedger()
    for _ in 1...2 {
      #expect(throws: LedgerError.self) {
        try takeFee("evt_1", .succeeded(payment: "in_1"), of: "2026-12-01T03:00:00Z")
      }
    }
    #expect(
      try takeFee("evt_1", .succeeded(payment: "in_1"), of: "2026-11-30T12:00:00Z") == .taken)
  }

  @Test("Events of others' charges and subscriptions change nothing")
  func strangers() async throws {
    try await makeLedger()
    guard
      case .differs = try take("evt_1", .succeeded(payment: "pi_1"), client: "nobody")
    else {
      Issue.record("a payment of a charge that isn't there is taken")
      return
    }
    let outcome = try take(
      "evt_2", .refused(reason: "declined", payment: "pi_1"), client: "nobody")
    #expect(outcome == .taken)
    let fee = FeePayment(
      subscriptionID: "sub_2", periodStart: later, attempt: .succeeded(payment: "in_1"),
      paid: Self.paid)
    #expect(try take("evt_3", .fixedFee(fee)) == .taken)
    #expect(try take("evt_4", .subscription("sub_2", .canceled)) == .taken)
    #expect(try charge(0).status == .pending && charge(1).status == .pending)
    #expect(try mismatches().isEmpty)
  }
}
