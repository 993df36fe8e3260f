import Pricing
import Testing
import Time

@testable import Budgets
@testable import Ledger

/// Several replicas on one ledger, each as its writer sees it.
@Suite("Replicas that share a ledger")
struct ReplicaTests {
  private let folder = TemporaryFolder()
  private let membership = (Membership(name: "one"), Membership(name: "two"))

  private func replica(_ membership: Membership) throws -> LedgerDatabase {
    var options = folder.options()
    options.busyTimeoutMilliseconds = 10_000
    return try LedgerDatabase(options, membership: membership)
  }

  private let key = AccountKey(
    budget: BudgetID(client: "acme", name: "month"),
    subject: Subject(kind: .client, value: "acme"), period: "monthly",
    window: BudgetWindow(
      start: Timestamp(rfc3339: "2026-11-01T03:00:00Z")!,
      end: Timestamp(rfc3339: "2026-12-01T03:00:00Z")!), currency: Sample.brl)

  private func draw(
    _ tokens: Int64, atLeast least: Int64? = nil, of limit: Int64, on database: LedgerDatabase
  ) throws -> LeaseAnswer {
    let request = LeaseRequest(
      of: .account(key), limits: LimitsInForce(tokens: limit, nanoUnits: nil),
      least: Spend(tokens: least ?? tokens, nanoUnits: 0),
      wanted: Spend(tokens: tokens, nanoUnits: 0), lease: LeaseID(number: 1))
    let order = LeaseOrder(draws: [request], returns: []) { _ in }
    let answers = try database.lease([order])
    return try #require(answers.first?.leases.first)
  }

  private func giveBack(_ amount: LeaseReturn.Amount, on database: LedgerDatabase) throws {
    let back = LeaseReturn(of: .account(key), amount: amount)
    let order = LeaseOrder(draws: [], returns: [back]) { _ in }
    _ = try database.lease([order])
  }

  /// Settled and leased tokens of the account, and the sum of its leases.
  private func figures() throws -> [Int64] {
    let select = try folder.connection().prepare(
      """
      SELECT tokens, leased_tokens,
        (SELECT coalesce(sum(tokens), 0) FROM budget_leases WHERE account_id = budget_accounts.id)
      FROM budget_accounts
      """)
    #expect(try select.step())
    return (0..<3).map { select.integer($0) ?? -1 }
  }

  private func intent(_ number: Int) -> Entry {
    .open(interrupted: Sample.intent(number).interrupted)
  }

  /// The settlement of a request of 110 tokens, which the lease pays.
  private func settlement(_ number: Int) -> Entry {
    var settlement = Sample.settlement(number)
    for index in settlement.charges.indices {
      settlement.charges[index].takenOffLease = Spend(
        tokens: settlement.charges[index].tokens, nanoUnits: 0)
    }
    return .settle(settlement)
  }

  @Test("What two replicas draw never exceeds the limit together, and can use all of it")
  func drawsWithinLimit() throws {
    let (one, two) = (try replica(membership.0), try replica(membership.1))
    var drawn: Int64 = 0
    while true {
      let amounts = try [one, two].map { try draw(10, of: 1_000, on: $0).added.tokens }
      drawn += amounts.reduce(0, +)
      #expect(drawn <= 1_000)
      if amounts == [0, 0] { break }
    }
    #expect(drawn > 990)
    #expect(try figures() == [0, drawn, drawn])
  }

  @Test("A slice is large while much is left, and no more than is wanted near the limit")
  func slicesShrink() throws {
    let one = try replica(membership.0)
    let first = try draw(10, of: 1_000, on: one).added.tokens
    #expect(first == 250)
    var last = first
    while last > 10 {
      let next = try draw(10, of: 1_000, on: one).added.tokens
      #expect(next <= last)
      last = next
    }
    #expect(last == 10)
    #expect(try draw(500, atLeast: 500, of: 1_000, on: one).added == .zero)
    let rest = try draw(500, atLeast: 1, of: 1_000, on: one).added.tokens
    #expect(rest > 0 && rest < 500)
  }

  @Test("A settlement is paid by the lease of the replica that forwarded the request")
  func settlesFromLease() throws {
    let (one, two) = (try replica(membership.0), try replica(membership.1))
    let leased = try draw(500, of: 1_000, on: one).added.tokens
    #expect(leased == 500)
    try one.commit([intent(1)])
    try one.commit([settlement(1)])
    #expect(try figures() == [110, 390, 390])
    let answer = try draw(600, atLeast: 600, of: 1_000, on: two)
    #expect(answer.added == .zero)
    #expect(answer.standing.settled.tokens == 110)
    #expect(answer.standing.leasedToOthers.tokens == 390)
    try giveBack(.part(Spend(tokens: 100, nanoUnits: 0)), on: one)
    #expect(try figures() == [110, 290, 290])
    try giveBack(.everything, on: one)
    #expect(try figures() == [110, 0, 0])
    #expect(try draw(600, atLeast: 600, of: 1_000, on: two).added.tokens == 600)
  }

  @Test("The silent are ended by another: their intents, their leases, and all they write later")
  func endsTheSilent() throws {
    let (one, two) = (try replica(membership.0), try replica(membership.1))
    _ = try draw(500, of: 1_000, on: one)
    try one.commit([intent(1), intent(2)])
    // One that was heard just now is not ended.
    #expect(try two.takeOver(membership.0.id).isEmpty)
    #expect(try figures() == [0, 500, 500])
    try silence(membership.0.id)
    _ = try two.takeOver(membership.0.id)
    #expect(try figures() == [100, 0, 0])
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.openIntents().isEmpty)
    #expect(try reader.usageRows(limit: 9).map(\.outcome) == [.interrupted, .interrupted])

    #expect(throws: LedgerError.takenForDead) { try one.commit([intent(3)]) }
    #expect(throws: LedgerError.takenForDead) { try draw(10, of: 1_000, on: one) }
    try one.rejoin()
    try one.commit([settlement(1), .discard(Sample.id(2))])
    let rows = try reader.usageRows(limit: 9)
    #expect(rows.map(\.outcome) == [.ok])
    #expect(rows.map(\.usage.totalTokens) == [110])
    #expect(try figures() == [110, 0, 0])
    #expect(try reader.audit() == [])
  }

  @Test("What a provider goes on with is followed, though others have taken its server for dead")
  func defersAfterADeath() throws {
    let (one, two) = (try replica(membership.0), try replica(membership.1))
    try one.commit([intent(1)])
    try silence(membership.0.id)
    _ = try two.takeOver(membership.0.id)
    try one.rejoin()
    let deferred = DeferredRequest(
      .response, objectID: "obj_1", intent: Sample.intent(1), pricedModel: "gpt-4o-mini",
      serviceTier: nil, imageModel: nil)
    try one.commit([.deferral(deferred)])
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.usageRows(limit: 9).isEmpty)
    #expect(try reader.deferredRequests().map(\.requestID) == [Sample.id(1)])
    #expect(try reader.audit() == [])
  }

  @Test("After a commit of which nobody knows, as much is believed leased as there is either way")
  func countsWhatIsCertain() throws {
    let one = try replica(membership.0)
    _ = try draw(500, of: 1_000, on: one)
    let leases = try #require(one.shared).leases
    let (source, part) = (Int64(1), Spend(tokens: 100, nanoUnits: 0))
    let limits = LimitsInForce(tokens: 1_000, nanoUnits: nil)
    #expect(leases.certain(source).tokens == 500)
    try one.connection.transaction { () throws(LedgerError) in
      try leases.raise(to: Spend(tokens: 600, nanoUnits: 0), source: source, within: limits)
    }
    leases.didRollBack(isUncertain: true)
    #expect(leases.certain(source).tokens == 500)
    try leases.begin()
    #expect(leases.certain(source).tokens == 600)
    for isUncertain in [false, true] {
      try leases.giveBack(.part(part), source: source)
      leases.didRollBack(isUncertain: isUncertain)
      #expect(leases.certain(source).tokens == (isUncertain ? 500 : 600))
      if !isUncertain { try one.connection.execute("UPDATE budget_leases SET tokens = 600") }
    }
  }

  @Test("A replica that leaves gives everything back")
  func leaves() throws {
    let one = try replica(membership.0)
    _ = try draw(500, of: 1_000, on: one)
    try one.leave()
    #expect(try figures() == [0, 0, 0])
    let count = try folder.connection().prepare("SELECT count(*) FROM replicas")
    #expect(try count.firstInteger() == 0)
  }

  @Test("Deferred requests of a replica that is gone are followed by another")
  func inherits() throws {
    let (one, two) = (try replica(membership.0), try replica(membership.1))
    let deferred = DeferredRequest(
      .response, objectID: "obj_1", intent: Sample.intent(1), pricedModel: "gpt-4o-mini",
      serviceTier: nil, imageModel: nil)
    try one.commit([intent(1)])
    try one.commit([.deferral(deferred)])
    #expect(try two.adoptOrphans().isEmpty)
    try one.leave()
    #expect(try two.adoptOrphans().map(\.requestID) == [Sample.id(1)])
    #expect(try two.adoptOrphans().isEmpty)
  }

  /// As if nobody had heard of a replica for a minute.
  private func silence(_ replica: ReplicaID) throws {
    let update = try folder.connection().prepare(
      "UPDATE replicas SET heartbeat_ms = heartbeat_ms - 60000 WHERE id = ?")
    update.bind(replica.text, at: 1)
    try update.run()
  }
}
