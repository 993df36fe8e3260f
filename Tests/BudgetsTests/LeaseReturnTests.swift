import Budgets
import Money
import Testing
import Time

@Suite("The end of leases")
struct LeaseReturnTests {
  @Test("An idle account gives back everything, one with holds nothing")
  func idle() throws {
    var replica = SharingReplica([budget(.tokens(100))])
    let grant = try replica.held(demand(output: 30))
    replica.gate.now = replica.gate.now.advanced(by: .seconds(10))
    #expect(replica.gate.state.giveBack(idleFor: .seconds(5), at: replica.gate.now).isEmpty)
    try replica.settle(grant, use(10))
    let other = try replica.held(demand(output: 5))
    try replica.settle(other, use(0))
    #expect(replica.gate.state.giveBack(idleFor: .seconds(5), at: replica.gate.now).isEmpty)
    replica.gate.now = replica.gate.now.advanced(by: .seconds(5))
    let returns = replica.gate.state.giveBack(idleFor: .seconds(5), at: replica.gate.now)
    #expect(returns.map(\.amount) == [.everything])
    #expect(replica.gate.hold(demand(output: 1)).ticket != nil)
    #expect(replica.gate.state.giveBackEverything(at: replica.gate.now).isEmpty)
  }

  @Test("Others get what is free, and no more")
  func free() throws {
    var replica = SharingReplica([budget(.tokens(100))])
    let request = try #require(replica.requests(demand(output: 30)).first)
    _ = replica.take([replica.ledger.lease(request, to: 0, extra: 8)])
    _ = try replica.gate.held(demand(output: 30))
    let returns = replica.gate.state.giveBackFree(of: [request.source])
    #expect(returns.map(\.amount) == [.part(Spend(tokens: 70, nanoUnits: 0))])
    #expect(replica.gate.state.giveBackFree(of: [request.source]).isEmpty)
    #expect(replica.requests(demand(output: 1)).map(\.wanted.tokens) == [1])
  }

  @Test("What more of one unit was used than leased doesn't keep what is free of the other")
  func belowZero() throws {
    let limit = BudgetLimit.both(
      tokens: 100, cost: Money(nanoUnits: 1_000_000, currency: .usd))
    var replica = SharingReplica([budget(limit)])
    let request = try #require(replica.requests(demand(output: 30)).first)
    _ = replica.take([replica.ledger.lease(request, to: 0, extra: 1)])
    let grant = try replica.gate.held(demand(output: 30))
    try replica.settle(grant, use(30, microDollars: 600))
    let returns = replica.gate.state.giveBackFree(of: [request.source])
    #expect(returns.map(\.amount) == [.part(Spend(tokens: 12, nanoUnits: 0))])
  }

  @Test("An answer that comes after everything was given back adds nothing, and goes back too")
  func late() throws {
    var replica = SharingReplica([budget(.tokens(100))])
    let late = replica.requests(demand(output: 10)).map { replica.ledger.lease($0, to: 0) }
    for back in replica.gate.state.giveBackEverything(at: replica.gate.now) {
      replica.ledger.giveBack(back, of: 0)
    }
    #expect(replica.take(late).isEmpty)
    #expect(replica.gate.hold(demand(output: 1)).ticket != nil)
    #expect(replica.gate.state.giveBackEverything(at: replica.gate.now).count == 1)
  }

  @Test("What may not have reached the ledger is given back again")
  func lost() throws {
    var replica = SharingReplica([budget(.tokens(100))])
    let grant = try replica.held(demand(output: 10))
    try replica.settle(grant, use(0))
    let returns = replica.gate.state.giveBackEverything(at: replica.gate.now)
    replica.gate.state.notGivenBack(returns)
    #expect(replica.gate.state.giveBack(idleFor: .zero, at: replica.gate.now) == returns)
    #expect(replica.gate.state.giveBack(idleFor: .zero, at: replica.gate.now).isEmpty)
  }

  @Test("When leases are void nothing new goes until what is held is leased again")
  func void() throws {
    var replica = SharingReplica([budget(.tokens(100))])
    let grant = try replica.held(demand(output: 30))
    let late = replica.requests(demand(output: 40)).map { replica.ledger.lease($0, to: 0) }
    replica.gate.state.voidLeases(at: replica.gate.now)
    #expect(replica.take(late).isEmpty)
    #expect(replica.outstanding().map(\.wanted.tokens) == [30])
    #expect(replica.requests(demand(output: 20)).map(\.least.tokens) == [50])
    try replica.settle(grant, use(30))
    #expect(try replica.gate.status().settledTokens == 30)
    #expect(replica.gate.state.checkInvariants().isEmpty)
  }

  @Test("A hold that is taken up again asks for a lease of its own")
  func restored() throws {
    var replica = SharingReplica([budget(.tokens(100))])
    let window = BudgetWindow(of: .monthly, containing: morning, in: .utc)
    let place = RecordedHold.Place(
      budget: BudgetID(client: "acme", name: "b"),
      subject: Subject(kind: .client, value: "acme"), period: "monthly", window: window)
    let hold = RecordedHold(bound: use(60), estimate: use(10), places: [place])
    let grant = replica.gate.state.restore(hold, at: replica.gate.now)
    let request = try #require(replica.outstanding().first)
    #expect(request.least == .zero && request.wanted.tokens == 60)
    _ = replica.take([replica.ledger.lease(request, to: 0)])
    #expect(replica.outstanding().isEmpty)
    _ = try replica.held(demand(output: 40))
    try replica.settle(grant, use(50))
    #expect(replica.ledger.mistakes().isEmpty)
  }

  @Test("A budget that is removed, or limits no more, gives its leases back")
  func changed() throws {
    for definitions in [[], [budget(.tokens(100), enforcement: .soft)]] {
      var replica = SharingReplica([budget(.tokens(100))])
      let grant = try replica.held(demand(output: 10))
      try replica.gate.apply(
        .configure(definitions, BudgetPolicy(rates: .usdOnly, sharesLimits: true)))
      #expect(replica.gate.state.giveBack(idleFor: .zero, at: replica.gate.now).isEmpty)
      try replica.gate.settle(grant, use(5))
      let returns = replica.gate.state.giveBack(idleFor: .zero, at: replica.gate.now)
      #expect(returns.map(\.amount) == [.everything])
    }
  }

  @Test("A budget that comes while running counts in the same window in every replica")
  func created() throws {
    var replica = SharingReplica([])
    try replica.gate.apply(
      .configure([budget(.tokens(100))], BudgetPolicy(rates: .usdOnly, sharesLimits: true)))
    let key = try #require(replica.requests(demand(output: 1)).first?.source.account)
    let start = key.window.start
    #expect(start == BudgetWindow(of: .monthly, containing: morning, in: .utc).start)
  }
}
