import Budgets
import Money
import Pricing
import Testing
import Time

@testable import Ledger

/// Keys of calls, which are committed together with what the calls change.
@Suite struct IdempotencyTests {
  private let folder = TemporaryFolder()

  private func editor(
    at now: Timestamp = Sample.admitted, _ location: LedgerLocation? = nil
  ) throws -> LedgerEditor {
    try LedgerEditor(at: location ?? folder.location, author: .init(actor: "token:a", now: now))
  }

  private func claim(
    _ key: String, owner: String = "token:a", at now: Timestamp = Sample.admitted,
    hasSecret: Bool = false
  ) -> IdempotencyClaim {
    IdempotencyClaim(
      owner: owner, key: key, requestSHA256: "aa", createdAt: now, hasSecret: hasSecret)
  }

  private func grant(
    _ editor: LedgerEditor, _ claim: IdempotencyClaim
  ) throws(LedgerError) -> ClaimedKey {
    try editor.once(claim) { () throws(LedgerError) in
      let credit = StoredCredit(
        clientID: "acme", granted: .tokens(5), createdAt: Sample.admitted)
      return "\(try editor.grant(credit).id)"
    }
  }

  private func credits() throws -> [StoredCredit] {
    try LedgerReader(at: folder.location).credits(ofClient: "acme")
  }

  private func key(_ name: String, _ owner: String = "token:a") throws -> ClaimedKey? {
    try LedgerReader(at: folder.location).claimedKey(name, of: owner, at: Sample.admitted)
  }

  @Test("A change is made once for its key, whoever repeats it")
  func once() throws {
    let first = try grant(try editor(), claim("k1"))
    let again = try grant(try editor(at: Sample.admitted.advanced(by: .seconds(9))), claim("k1"))
    #expect(first.outcome == "1" && again == first)
    #expect(try credits().count == 1)
    _ = try grant(try editor(), claim("k2"))
    _ = try grant(try editor(), claim("k1", owner: "token:b"))
    #expect(try credits().count == 3)
  }

  @Test("A change that fails leaves no key, nor what it had changed before")
  func together() throws {
    let editor = try editor()
    #expect(throws: LedgerError.notFound(record: "charge chg_99")) {
      try editor.once(claim("k1")) { () throws(LedgerError) in
        let credit = StoredCredit(
          clientID: "acme", granted: .tokens(5), createdAt: Sample.admitted)
        _ = try editor.grant(credit)
        return "\(try editor.retryCharge(99).id)"
      }
    }
    #expect(try credits().isEmpty && key("k1") == nil)
    _ = try grant(editor, claim("k1"))
    #expect(try credits().count == 1)
  }

  @Test("The answer that is stored first counts, and one with a secret is never stored")
  func answers() throws {
    let editor = try editor()
    _ = try grant(editor, claim("k1"))
    #expect(try key("k1")?.answer == nil)
    let first = ClaimedKey.Answer(status: 201, body: "{}")
    #expect(try editor.store(first, of: claim("k1"), claiming: false)?.answer == first)
    let second = ClaimedKey.Answer(status: 200, body: "[]")
    #expect(try editor.store(second, of: claim("k1"), claiming: false)?.answer == first)
    _ = try grant(editor, claim("k2", hasSecret: true))
    #expect(try key("k2")?.outcome == nil && key("k2")?.answer == nil)
    // A call that changes nothing here has its key all the same; one whose change waits to be
    // written doesn't take the key from it.
    #expect(try editor.store(second, of: claim("k3"), claiming: false) == nil)
    #expect(try key("k3") == nil)
    #expect(try editor.store(second, of: claim("k3"), claiming: true)?.answer == second)
  }

  @Test("A key is forgotten after a day, that of reported usage never")
  func lifetime() throws {
    _ = try grant(try editor(), claim("k1"))
    _ = try grant(try editor(), claim("k1", owner: IdempotencyClaim.usageOwner(of: "acme")))
    let later = Sample.admitted.advanced(by: IdempotencyClaim.lifetime)
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.claimedKey("k1", of: "token:a", at: later) == nil)
    _ = try grant(try editor(at: later), claim("k1", at: later))
    #expect(try credits().count == 3)
    let owners = try folder.connection().prepare("SELECT count(*) FROM idempotent_answers")
    #expect(try owners.firstInteger() == 2)
    #expect(try reader.claimedKey("k1", of: "usage:acme", at: later) != nil)
  }

  @Test("A call that was to act and died may act once more, later", arguments: [0, 9])
  func acting(_ seconds: Int64) throws {
    var acting = claim("k1", hasSecret: seconds == 0)
    acting.actsWithin = .seconds(seconds)
    let act = { (claim: IdempotencyClaim, now: Timestamp) throws -> Bool in
      var acts = false
      _ = try editor(at: now).once(claim) { () throws(LedgerError) in
        acts = true
        return "true"
      }
      return acts
    }
    #expect(try act(acting, Sample.admitted))
    let last = Sample.admitted.advanced(by: .seconds(seconds) + .milliseconds(59_999))
    #expect(try !act(acting, last))
    // The process of the first call has died.
    let next = last.advanced(by: .milliseconds(1))
    acting.createdAt = next
    #expect(try act(acting, next))
    // This one ends.
    let answer = seconds == 0 ? nil : ClaimedKey.Answer(status: 200, body: "{}")
    _ = try editor(at: next).store(answer, of: acting, claiming: false)
    let later = next.advanced(by: IdempotencyClaim.lifetime)
    #expect(try !act(acting, later.advanced(by: .milliseconds(-1))))
    acting.createdAt = later
    #expect(try act(acting, later))
  }

  @Test("A commit whose outcome wasn't told is looked up, and made once", .ofPostgreSQL)
  func lostCommit() throws {
    guard case .postgresql(let url) = folder.location else { return }
    _ = try ServerLedger.migrate(at: folder.location)
    let server = try #require(url.split(separator: ":").last?.split(separator: "/").first)
    let proxy = try CuttingProxy(toPort: try #require(UInt16(server)))
    defer { proxy.close() }
    let editor = try editor(
      .postgresql(url: url.replacing(":\(server)/", with: ":\(proxy.port)/")))
    proxy.cut(after: "commit")
    #expect(try grant(editor, claim("k1")).outcome == "1")
    #expect(proxy.cutCount == 1)
    #expect(try credits().count == 1)
  }

  private func editor(_ location: LedgerLocation) throws -> LedgerEditor {
    try editor(at: Sample.admitted, location)
  }

  // MARK: Reported usage

  private func report(_ number: Int, key: String, after seconds: Int64 = 0) -> SettledRequest {
    let sample = Sample.settlement(number)
    var row = sample.row
    row.createdAt = row.createdAt.advanced(by: .seconds(seconds))
    return SettledRequest(
      row: row, charges: sample.charges, priceRecord: Sample.prices,
      claim: claim(key, owner: IdempotencyClaim.usageOwner(of: "acme"), at: row.createdAt))
  }

  @Test("A report that comes again, a second later and at another server, makes one row and tier")
  func reports() async throws {
    let billing = PlanBilling(
      fixedFee: Money(minorUnits: 0, currency: Sample.brl)!, included: 100,
      overage: PlanBilling.Overage(
        every: 100, charge: Money(minorUnits: 10_000, currency: Sample.brl)!))
    let first = try folder.ledger()
    try await first.syncBilling(
      [
        BillingAgreement(
          clientID: "acme", plan: "pro", startDay: 1, today: Sample.day, status: .recorded,
          billing: billing)
      ], at: Sample.admitted)
    try await first.settle(report(1, key: "order-1"))
    try await first.settle(report(1, key: "order-1", after: 1))
    await first.close()
    let second = try folder.ledger()
    try await second.settle(report(1, key: "order-1", after: 2))
    try await second.settle(report(2, key: "order-2", after: 2))
    await second.close()
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.usageRows(limit: 9).map(\.requestID) == [Sample.id(2), Sample.id(1)])
    // Two reports of 110 tokens: the second tier begins at 101, the third at 201.
    #expect(try reader.charges(where: [:]).map(\.block) == [1, 2])
    #expect(try key("order-1", "usage:acme")?.outcome == "\(Sample.id(1))")
    #expect(try reader.audit() == [])
  }

  @Test("A report keeps its key while it waits in the spool")
  func spooled() throws {
    let entry = Entry.settle(report(1, key: "order-1"))
    let line = String(decoding: entry.line(), as: UTF8.self)
    guard case .settle(let read) = try Entry(line: line, reader: SettlementReader()) else {
      Issue.record("a settlement is another entry")
      return
    }
    #expect(read.claim == claim("order-1", owner: "usage:acme"))
  }
}
