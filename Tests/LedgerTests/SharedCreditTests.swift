import Money
import Testing

@testable import Budgets
@testable import Ledger

/// A credit that several replicas draw from, each as its writer sees it.
@Suite("Replicas that share a credit")
struct SharedCreditTests {
  private let folder = TemporaryFolder()
  private let membership = (Membership(name: "one"), Membership(name: "two"))

  private func replica(_ membership: Membership) throws -> LedgerDatabase {
    var options = folder.options()
    options.busyTimeoutMilliseconds = 10_000
    return try LedgerDatabase(options, membership: membership)
  }

  /// Gives 500 tokens, as credit 1, or a thousand billionths of a real, as credit 2.
  private func giveCredits() throws {
    let connection = try folder.connection()
    for granted in [
      Credit.Amount.tokens(500), .money(Money(nanoUnits: 1_000, currency: Sample.brl)),
    ] {
      let credit = StoredCredit(clientID: "acme", granted: granted, createdAt: Sample.admitted)
      try connection.insert(credit)
    }
  }

  private func draw(
    _ amount: Int64, of credit: Int64 = 1, on database: LedgerDatabase
  ) throws -> LeaseAnswer {
    let isMoney = credit == 2
    let wanted = Spend(tokens: isMoney ? 0 : amount, nanoUnits: isMoney ? amount : 0)
    let request = LeaseRequest(
      of: .credit(CreditKey(id: credit, client: "acme")),
      limits: isMoney
        ? LimitsInForce(tokens: nil, nanoUnits: 1_000) : LimitsInForce(tokens: 500, nanoUnits: nil),
      least: .zero, wanted: wanted, lease: LeaseID(number: 1))
    let answers = try database.lease([LeaseOrder(draws: [request], returns: []) { _ in }])
    return try #require(answers.first?.leases.first)
  }

  private func giveBack(_ amount: LeaseReturn.Amount, on database: LedgerDatabase) throws {
    let back = LeaseReturn(of: .credit(CreditKey(id: 1, client: "acme")), amount: amount)
    _ = try database.lease([LeaseOrder(draws: [], returns: [back]) { _ in }])
  }

  /// The rest of the first credit, its leased part, and the sum of its leases.
  private func figures() throws -> [Int64] {
    let select = try folder.connection().prepare(
      """
      SELECT tokens_remaining, leased_tokens,
        (SELECT CAST(coalesce(sum(tokens), 0) AS BIGINT) FROM credit_leases WHERE credit_id = 1)
      FROM token_credits WHERE id = 1
      """)
    #expect(try select.step())
    return (0..<3).map { select.integer($0) ?? -1 }
  }

  /// The row of a request of 110 tokens, of which the credit pays 70 beyond the plan.
  private func settlement(_ number: Int, isLeased: Bool = true) -> SettledRequest {
    var settlement = Sample.settlement(number)
    settlement.charges = settlement.charges.map(onPlan)
    settlement.draws = [CreditDraw(credit: 1, tokens: 70, cost: nil, isLeased: isLeased)]
    return settlement
  }

  private func onPlan(_ charge: BudgetCharge) -> BudgetCharge {
    var charge = charge
    charge.account.budgetID = .plan(of: "acme")
    return charge
  }

  private func intent(_ number: Int) -> Entry {
    var intent = Sample.intent(number)
    intent.interrupted.draws = [CreditDraw(credit: 1, tokens: 40, cost: nil)]
    intent.interrupted.charges = intent.interrupted.charges.map(onPlan)
    return .open(interrupted: intent.interrupted)
  }

  @Test("What two replicas draw of a credit never exceeds it, and can use all of it")
  func drawsWithinCredit() throws {
    let (one, two) = (try replica(membership.0), try replica(membership.1))
    try giveCredits()
    for (credit, granted) in [(1, 500), (2, 1_000)] as [(Int64, Int64)] {
      var drawn: Int64 = 0
      while true {
        let amounts = try [one, two].map { database in
          let added = try draw(7, of: credit, on: database).added
          return added.tokens + added.nanoUnits
        }
        drawn += amounts.reduce(0, +)
        #expect(drawn <= granted)
        if amounts == [0, 0] { break }
      }
      #expect(drawn == granted)
    }
    #expect(try LedgerReader(at: folder.location).audit() == [])
  }

  @Test("A draw is taken off the credit and off the lease of the replica that held it")
  func settlesFromLease() throws {
    let (one, two) = (try replica(membership.0), try replica(membership.1))
    try giveCredits()
    let leased = try draw(300, on: one).added.tokens
    #expect(leased == 300)
    try one.commit([intent(1)])
    try one.commit([.settle(settlement(1))])
    #expect(try figures() == [430, 230, 230])
    let answer = try draw(300, on: two)
    #expect(answer.added.tokens == 200)
    #expect(answer.standing.settled.tokens == 70)
    #expect(answer.standing.leasedToOthers.tokens == 230)
    try giveBack(.everything, on: one)
    #expect(try figures() == [430, 200, 200])
    let page = try LedgerReader(at: folder.location).standings(
      from: .credits(after: 0), limit: 9, for: membership.1.id, at: Sample.admitted)
    let first = try #require(page.standings.first)
    #expect(page.standings.count == 2 && page.next == nil)
    #expect(first.settled.tokens == 70 && first.leased.tokens == 200)
    #expect(first.leasedToOthers == .zero)
    #expect(try LedgerReader(at: folder.location).audit() == [])
  }

  @Test("Of a plan, what credits have paid isn't settled against its limit")
  func planIsNotCharged() throws {
    let one = try replica(membership.0)
    try giveCredits()
    try one.commit([.settle(settlement(1))])
    let key = try #require(settlement(1).charges.first?.account.accountKey)
    let request = LeaseRequest(
      of: .account(key), limits: LimitsInForce(tokens: 100, nanoUnits: nil), least: .zero,
      wanted: Spend(tokens: 100, nanoUnits: 0), lease: LeaseID(number: 1))
    let answers = try one.lease([LeaseOrder(draws: [request], returns: []) { _ in }])
    let answer = try #require(answers.first?.leases.first)
    #expect(answer.standing.settled.tokens == 110 && answer.standing.paidByCredits == 70)
    #expect(answer.added.tokens == 60)
    #expect(try LedgerReader(at: folder.location).audit() == [])
    try folder.connection().execute("UPDATE budget_accounts SET paid_by_credits = 71")
    let differences = try LedgerReader(at: folder.location).audit()
    #expect(differences.map(\.check) == [.budgetAccount])
  }

  @Test("A dead replica's requests draw what they may use, until they say what they did")
  func endsTheSilent() throws {
    let (one, two) = (try replica(membership.0), try replica(membership.1))
    try giveCredits()
    _ = try draw(300, on: one)
    // The survivor's own lease pays nothing of it.
    _ = try draw(100, on: two)
    try one.commit([intent(1), intent(2)])
    let update = try folder.connection().prepare(
      "UPDATE replicas SET heartbeat_ms = heartbeat_ms - 60000 WHERE id = ?")
    update.bind(membership.0.id.text, at: 1)
    try update.run()
    _ = try two.takeOver(membership.0.id)
    #expect(try figures() == [420, 100, 100])
    try one.rejoin()
    try one.commit([.settle(settlement(1)), .discard(Sample.id(2))])
    #expect(try figures() == [430, 100, 100])
    let paid = try folder.connection().prepare("SELECT paid_by_credits FROM budget_accounts")
    #expect(try paid.firstInteger() == 70)
    try two.leave()
    #expect(try figures() == [430, 0, 0])
    #expect(try LedgerReader(at: folder.location).audit() == [])
  }
}
