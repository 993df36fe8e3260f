import Budgets
import Money
import Testing
import Time

/// Credits of one client whose plan gives 100 tokens, before a ledger that others draw from too.
@Suite("Leases of credits")
struct CreditLeaseTests {
  private var replica = SharingReplica([budget("plan", .tokens(100), period: .monthly)])

  private mutating func give(_ id: Int64, _ amount: Credit.Amount) throws {
    let credit = Credit(id: id, client: "acme", granted: amount, expiresAt: nil)
    replica.ledger.give(credit)
    try replica.gate.apply(.takeCredits([credit]))
  }

  private func source(_ id: Int64) -> LeaseSource { .credit(CreditKey(id: id, client: "acme")) }

  /// Has another replica lease tokens of a credit.
  private mutating func leaseToOther(_ tokens: Int64, of id: Int64) throws {
    let row = try #require(replica.ledger.rows[source(id)])
    let wanted = Spend(tokens: tokens, nanoUnits: 0)
    let request = try #require(replica.requests(demand(output: 1)).first)
    let theirs = LeaseRequest(
      of: source(id), limits: try #require(row.limits), least: wanted, wanted: wanted,
      lease: request.lease)
    #expect(replica.ledger.lease(theirs, to: SharingReplica.other).added == wanted)
  }

  private mutating func giveBack() {
    for back in replica.gate.state.giveBackEverything(at: replica.gate.now) {
      replica.ledger.giveBack(back, of: SharingReplica.id)
    }
  }

  @Test("What a plan doesn't pay is asked of its credits in their order, in the same question")
  mutating func asksInOrder() throws {
    try give(1, .money(Money(nanoUnits: 5_000, currency: .usd)))
    try give(2, .tokens(50))
    #expect(replica.requests(demand(output: 100)).map(\.source.account?.budget.name) == ["plan"])
    let requests = replica.requests(demand(output: 152))
    #expect(requests.map(\.source).dropFirst() == [source(2), source(1)])
    #expect(
      requests.map(\.wanted).dropFirst() == [
        Spend(tokens: 50, nanoUnits: 0), Spend(tokens: 0, nanoUnits: 2_000),
      ])
    #expect(requests.dropFirst().map(\.limits.tokens) == [50, nil])
    #expect(replica.gate.hold(demand(output: 152)).ticket != nil, "nothing is leased yet")
  }

  @Test("A credit pays what is leased of it, and its lease pays what it has paid")
  mutating func paysFromLease() throws {
    try give(1, .tokens(50))
    let grant = try replica.held(demand(output: 130))
    try replica.settle(grant, use(120))
    let row = try #require(replica.ledger.rows[source(1)])
    #expect(row.settled.tokens == 20 && row.allLeased.tokens == 10)
    let plan = try #require(replica.ledger.rows.values.first { $0.source.account != nil })
    #expect(plan.settled.tokens == 120 && plan.paidByCredits == 20 && plan.allLeased == .zero)
    let denial = try replica.gate.denied(demand(output: 31))
    #expect((denial.limit, denial.used, denial.remaining) == (150, 120, 30))
    _ = try replica.gate.held(demand(output: 10))
    // Of the plan nothing is left that it could be asked for.
    #expect(replica.requests(demand(output: 15)).map(\.source) == [source(1)])
    #expect(replica.requests(demand(output: 0)).isEmpty)
  }

  @Test("What credits may pay a part of isn't known to stand on a lease of the plan")
  mutating func holdsOfLease() throws {
    try give(1, .tokens(50))
    for (output, held) in [(130, Spend.zero), (20, Spend(tokens: 20, nanoUnits: 0))] {
      let grant = try replica.held(demand(output: Int64(output)))
      let expected = replica.gate.state.expectation(
        settling: grant.hold, with: use(10), at: replica.gate.now)
      #expect(expected.charges.map(\.heldOfLease) == [held])
      try replica.settle(grant, use(0))
    }
  }

  @Test("What a plan pays is decided when a request is let in, whatever becomes free meanwhile")
  mutating func isDecidedAtFirst() throws {
    try give(1, .tokens(50))
    let first = try replica.held(demand(output: 100))
    let second = try replica.held(demand(output: 30))
    try replica.settle(first, use(10))
    try replica.settle(second, use(30))
    #expect(replica.ledger.rows[source(1)]?.settled.tokens == 30)
    // More than was held is the plan's: of credits nothing else was leased for it.
    let third = try replica.held(demand(output: 100))
    try replica.settle(third, use(120))
    #expect(replica.ledger.rows[source(1)]?.settled.tokens == 40)
    giveBack()
    #expect(replica.ledger.rows.values.allSatisfy { $0.allLeased == .zero })
  }

  @Test("A request waits for what others have leased of a credit, and goes when they give it back")
  mutating func waitsForOthers() throws {
    try give(1, .tokens(50))
    try leaseToOther(40, of: 1)
    #expect(replica.ask(demand(output: 120)).ticket != nil)
    let request = try #require(replica.outstanding().first { $0.source == source(1) })
    let back = LeaseReturn(of: request.source, amount: .everything)
    replica.ledger.giveBack(back, of: SharingReplica.other)
    let events = replica.take([replica.ledger.lease(request, to: SharingReplica.id)])
    #expect(events.admitted.map(\.grant.bound.tokens) == [120])
  }

  @Test("What others have drawn refuses at once")
  mutating func knowsWhatOthersDrew() throws {
    try give(1, .tokens(50))
    var events: [Event] = []
    let standing = SharedStanding(
      of: source(1), settled: Spend(tokens: 45, nanoUnits: 0), leased: .zero, leasedToOthers: .zero)
    replica.gate.state.learn([standing], at: replica.gate.now, events: &events)
    #expect(replica.requests(demand(output: 106)).isEmpty)
    #expect(try replica.gate.denied(demand(output: 106)).limit == 105)
  }

  @Test("An idle credit is given back whole; for others, what is free of it")
  mutating func givesBack() throws {
    try give(1, .tokens(50))
    let requests = replica.requests(demand(output: 110))
    _ = replica.take(requests.map { replica.ledger.lease($0, to: SharingReplica.id, extra: 8) })
    let grant = try replica.gate.held(demand(output: 110))
    let free = replica.gate.state.giveBackFree(of: [source(1)])
    #expect(free == [LeaseReturn(of: source(1), amount: .part(Spend(tokens: 40, nanoUnits: 0)))])
    try replica.settle(grant, use(105))
    replica.gate.now = replica.gate.now.advanced(by: .seconds(9))
    let returns = replica.gate.state.giveBack(idleFor: .seconds(5), at: replica.gate.now)
    #expect(returns.map(\.source).contains(source(1)))
    #expect(returns.allSatisfy { $0.amount == .everything })
    #expect(replica.gate.state.giveBackEverything(at: replica.gate.now).isEmpty)
    replica.gate.state.notGivenBack(returns)
    let again = replica.gate.state.giveBackEverything(at: replica.gate.now)
    #expect(Set(again) == Set(returns))
  }

  @Test("When leases are void, what is held of a credit is leased again before anything new goes")
  mutating func voids() throws {
    try give(1, .tokens(50))
    let grant = try replica.held(demand(output: 130))
    replica.gate.state.voidLeases(at: replica.gate.now)
    #expect(replica.gate.hold(demand(output: 1)).ticket != nil)
    let request = try #require(replica.outstanding().first { $0.source == source(1) })
    #expect(request.wanted.tokens >= 30)
    // The hold ends by what was set aside, whatever is leased.
    #expect(try replica.gate.settle(grant, use(130)).draws.map(\.tokens) == [30])
  }

  @Test("Use from outside is paid by what is leased for it")
  mutating func reported() throws {
    try give(1, .tokens(50))
    let requests = replica.gate.state.creditRequests(
      reporting: use(120), rates: .usdOnly, for: caller(), at: replica.gate.now)
    #expect(requests.map(\.wanted.tokens) == [20])
    _ = replica.take(requests.map { replica.ledger.lease($0, to: SharingReplica.id) })
    var events: [Event] = []
    let settlement = replica.gate.state.record(
      use(120), rates: .usdOnly, for: caller(), at: replica.gate.now, events: &events)
    #expect(
      settlement.draws == [CreditDraw(credit: 1, tokens: 20, cost: nil, isLeased: true)])
  }
}
