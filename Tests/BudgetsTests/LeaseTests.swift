import Budgets
import Money
import Testing
import Time

/// One replica, whose ledger is shared with others that the test plays.
struct SharingReplica {
  var gate: Turnstile
  var ledger = SharedLedger()
  static let id = 0
  static let other = 1

  init(_ definitions: [BudgetDefinition], rates: ExchangeRates = .usdOnly) {
    gate = Turnstile(definitions, rates: rates, sharesLimits: true)
  }

  mutating func requests(
    _ demand: Demand, for who: Caller = caller()
  ) -> [LeaseRequest] {
    var events: [Event] = []
    return gate.state.leaseRequests(for: demand, of: who, at: gate.now, events: &events)
  }

  mutating func take(_ answers: [LeaseAnswer]) -> [Event] {
    var events: [Event] = []
    gate.state.take(answers, at: gate.now, events: &events)
    return events
  }

  /// Leases what the demand needs, and asks for its hold.
  mutating func ask(_ demand: Demand, for who: Caller = caller()) -> Admission {
    let answers = requests(demand, for: who).map { ledger.lease($0, to: Self.id) }
    _ = take(answers)
    return gate.hold(demand, for: who)
  }

  mutating func held(_ demand: Demand, for who: Caller = caller()) throws -> Grant {
    let admission = ask(demand, for: who)
    return try #require(admission.grant, "\(admission)")
  }

  /// Commits what a hold has used, then ends it.
  mutating func settle(_ grant: Grant, _ consumption: Consumption) throws {
    let expected = gate.state.expectation(
      settling: grant.hold, with: consumption, at: gate.now)
    let intent = ledger.begin(SharedLedger.Intent(), of: Self.id)
    ledger.settle(intent, with: SharedLedger.Intent(expected), of: Self.id)
    let settled = try gate.settle(grant, consumption)
    #expect(settled.charges.map(\.takenOffLease) == expected.charges.map(\.takenOffLease))
    #expect(settled.draws == expected.draws)
  }

  mutating func outstanding() -> [LeaseRequest] {
    var events: [Event] = []
    return gate.state.outstandingLeaseRequests(at: gate.now, events: &events)
  }

  /// Has another replica lease tokens of the one account.
  mutating func leaseToOther(_ tokens: Int64) throws {
    let request = try #require(requests(demand(output: 1)).first)
    let theirs = LeaseRequest(
      of: request.source, limits: request.limits,
      least: Spend(tokens: tokens, nanoUnits: 0), wanted: Spend(tokens: tokens, nanoUnits: 0),
      lease: request.lease)
    #expect(ledger.lease(theirs, to: Self.other).added.tokens == tokens)
  }
}

@Suite("Leases")
struct LeaseTests {
  @Test("Nothing is let through before it is leased, and then as long as the lease pays")
  func leased() throws {
    var replica = SharingReplica([budget(.tokens(100))])
    #expect(replica.gate.hold(demand(output: 10)).ticket != nil)
    var fresh = SharingReplica([budget(.tokens(100))])
    let request = try #require(fresh.requests(demand(output: 10)).first)
    #expect(request.least.tokens == 10 && request.wanted.tokens == 10)
    #expect(request.limits == LimitsInForce(tokens: 100, nanoUnits: nil))
    _ = fresh.take([fresh.ledger.lease(request, to: 0, extra: 2)])
    #expect(fresh.requests(demand(output: 10)).isEmpty)
    _ = try fresh.gate.held(demand(output: 10))
    #expect(fresh.requests(demand(output: 30)).map(\.wanted.tokens) == [5])
  }

  @Test("A budget that isn't hard, or isn't shared, has no lease")
  func unleased() throws {
    for enforcement in [BudgetDefinition.Enforcement.soft, .shadow] {
      var replica = SharingReplica([budget(.tokens(100), enforcement: enforcement)])
      #expect(replica.requests(demand(output: 10)).isEmpty)
      let grant = try replica.gate.held(demand(output: 10))
      #expect(try replica.gate.settle(grant, use(5)).charges.map(\.takenOffLease) == [.zero])
    }
    var alone = Turnstile([budget(.tokens(100))])
    var events: [Event] = []
    #expect(
      alone.state.leaseRequests(
        for: demand(output: 10), of: caller(), at: alone.now, events: &events
      ).isEmpty)
    let grant = try alone.held(demand(output: 10))
    #expect(try alone.settle(grant, use(5)).charges.map(\.takenOffLease) == [.zero])
  }

  @Test("Every hard budget is asked in its own units")
  func units() throws {
    var replica = SharingReplica([
      budget("tokens", .tokens(100)),
      budget("money", .cost(Money(nanoUnits: 50_000, currency: .usd))),
    ])
    let requests = replica.requests(demand(output: 10))
    #expect(
      requests.map(\.wanted) == [
        Spend(tokens: 10, nanoUnits: 0), Spend(tokens: 0, nanoUnits: 10_000),
      ])
    let grant = try replica.held(demand(output: 10))
    let charges = try replica.gate.settle(grant, use(4, microDollars: 4)).charges
    #expect(
      charges.map(\.takenOffLease) == [
        Spend(tokens: 4, nanoUnits: 0), Spend(tokens: 0, nanoUnits: 4_000),
      ])
  }

  @Test("What a hold has of leases is its whole bound, in the units that are limited")
  func holdsOfLease() throws {
    var replica = SharingReplica([
      budget("tokens", .tokens(100)),
      budget("money", .cost(Money(nanoUnits: 50_000, currency: .usd))),
      budget("soft", .tokens(100), enforcement: .soft),
    ])
    let grant = try replica.held(demand(output: 10))
    let expected = replica.gate.state.expectation(
      settling: grant.hold, with: use(4, microDollars: 4), at: replica.gate.now)
    #expect(
      expected.charges.map(\.heldOfLease) == [
        Spend(tokens: 10, nanoUnits: 0), Spend(tokens: 0, nanoUnits: 10_000), .zero,
      ])
  }

  @Test("Where no lease could help, none is asked for")
  func hopeless() throws {
    var replica = SharingReplica([budget(.tokens(100))])
    #expect(replica.requests(demand(output: 101)).isEmpty)
    #expect(try replica.gate.denied(demand(output: 101)).reason == .tokenLimit)
    let grant = try replica.held(demand(output: 60))
    // Tokens that this replica holds itself come back with the end of the hold.
    #expect(replica.requests(demand(output: 50)).isEmpty)
    try replica.settle(grant, use(20))
    try replica.gate.apply(.pause(Target(budget: BudgetID(client: "acme", name: "b"))))
    #expect(replica.requests(demand(output: 70)).isEmpty)
  }

  @Test("What others have used refuses at once, with the whole ledger's figures")
  func usedByOthers() throws {
    var replica = SharingReplica([budget(.tokens(100))])
    try replica.leaseToOther(95)
    let request = try #require(replica.requests(demand(output: 10)).first)
    _ = replica.take([replica.ledger.lease(request, to: 0)])
    let ticket = try replica.gate.waiting(demand(output: 10))
    try replica.gate.apply(.expire(ticket))
    let denial = try #require(replica.gate.takeEvents().denied.first?.denial)
    #expect(denial.reason == .contended)
    #expect(denial.held == 95 && denial.remaining == 5 && denial.affordableOutputTokens == 5)
    let standing = SharedStanding(
      of: request.source, settled: Spend(tokens: 95, nanoUnits: 0), leased: .zero,
      leasedToOthers: .zero)
    var events: [Event] = []
    replica.gate.state.learn([standing], at: replica.gate.now, events: &events)
    let refusal = try replica.gate.denied(demand(output: 10))
    #expect(refusal.reason == .tokenLimit && refusal.used == 95 && refusal.remaining == 5)
  }

  @Test("A settlement that isn't ended here yet isn't counted twice")
  func countedOnce() throws {
    var replica = SharingReplica([budget(.tokens(100))])
    let first = try replica.held(demand(output: 40))
    let charges = replica.gate.state.expectation(
      settling: first.hold, with: use(30), at: replica.gate.now
    )
    let intent = replica.ledger.begin(SharedLedger.Intent(), of: 0)
    replica.ledger.settle(intent, with: SharedLedger.Intent(charges), of: 0)
    // Its lease is 10 there and 40 here when this answer comes.
    _ = try replica.held(demand(output: 20))
    #expect(try replica.gate.status().settledTokens == 0)
    try replica.gate.settle(first, use(30))
    #expect(try replica.gate.status().settledTokens == 30)
  }

  @Test("Whoever waits for a lease goes as soon as it comes")
  func waiting() throws {
    var replica = SharingReplica([budget(.tokens(100))])
    try replica.leaseToOther(95)
    #expect(replica.ask(demand(output: 10)).ticket != nil)
    #expect(replica.gate.hold(demand(output: 1)).ticket != nil, "it overtook")
    let request = try #require(replica.outstanding().first)
    #expect(request.least.tokens == 10)
    #expect(replica.take([replica.ledger.lease(request, to: 0)]).admitted.isEmpty)
    replica.ledger.giveBack(
      LeaseReturn(of: request.source, amount: .everything), of: SharingReplica.other)
    let events = replica.take([replica.ledger.lease(request, to: 0, extra: 1)])
    #expect(events.admitted.map(\.grant.bound.tokens) == [10, 1])
    #expect(replica.outstanding().isEmpty)
  }

  @Test("The clamp takes its share of what could be leased, not of the lease")
  func clamp() throws {
    var replica = SharingReplica([budget(.tokens(80_000))])
    let open = demand(output: 100_000, explicit: false, recent: 100)
    let request = try #require(replica.requests(open).first)
    #expect(request.least.tokens == 200 && request.wanted.tokens == 10_000)
    _ = replica.take([replica.ledger.lease(request, to: 0)])
    #expect(try replica.gate.held(open).clampedOutput == 10_000)
    // The next one could have 8,750, of which others leave it 300.
    try replica.leaseToOther(69_700)
    #expect(try replica.held(open).clampedOutput == 200)
  }

  @Test("A window begins with a lease of nought, and an answer for the former one adds nothing")
  func window() throws {
    var replica = SharingReplica([budget(.tokens(100), period: .daily)])
    let late = replica.requests(demand(output: 10)).map { replica.ledger.lease($0, to: 0) }
    let hold = try replica.held(demand(output: 20))
    replica.gate.now = replica.gate.now.advanced(by: .seconds(86_400))
    #expect(replica.take(late).isEmpty)
    #expect(replica.requests(demand(output: 10)).map(\.wanted.tokens) == [10])
    #expect(replica.gate.state.giveBack(idleFor: .zero, at: replica.gate.now).isEmpty)
    let charge = try #require(try replica.gate.settle(hold, use(5)).charges.first)
    #expect(charge.takenOffLease.tokens == 5)
    // The former window's lease ends with its last hold.
    let returns = replica.gate.state.giveBack(idleFor: .seconds(1), at: replica.gate.now)
    #expect(returns.map(\.source.account?.window) == [charge.window])
    #expect(returns.map(\.amount) == [.everything])
  }

  @Test("A budget that is cleared at an instant counts from there in every replica")
  func cleared() throws {
    var starts: [Timestamp] = []
    for skew in [-20, 0, 20] {
      var replica = SharingReplica([budget(.tokens(100))])
      _ = try replica.held(demand(output: 10))
      replica.gate.now = morning.advanced(by: .seconds(skew))
      var events: [Event] = []
      let charges = try replica.gate.state.reset(
        Target(budget: BudgetID(client: "acme", name: "b")), use: .clear, asked: morning,
        at: replica.gate.now, events: &events)
      starts += charges.map(\.window.start)
      // Held tokens have to be leased of the new counter.
      #expect(replica.outstanding().map(\.wanted.tokens) == [10])
    }
    #expect(starts == [morning, morning, morning])
  }

  @Test("What others settle reaches percentages once, to be reported by whoever records them")
  func alerts() throws {
    var replica = SharingReplica([budget(.tokens(100), alerts: [50, 80])])
    let key = try #require(replica.requests(demand(output: 10)).first?.source)
    func standing(_ tokens: Int64) -> SharedStanding {
      SharedStanding(
        of: key, settled: Spend(tokens: tokens, nanoUnits: 0), leased: .zero,
        leasedToOthers: .zero)
    }
    var events: [Event] = []
    let reached = replica.gate.state.learn([standing(60)], at: morning, events: &events)
    #expect(reached.map(\.percent) == [50] && events.isEmpty)
    #expect(replica.gate.state.learn([standing(61)], at: morning, events: &events).isEmpty)
    let grant = try replica.gate.held(demand(output: 0))
    try replica.gate.settle(grant, use(20))
    #expect(replica.gate.takeEvents().thresholds.map(\.percent) == [80])
  }

  @Test("Use from outside is taken off no lease")
  func outside() throws {
    var replica = SharingReplica([budget(.tokens(100))])
    let grant = try replica.held(demand(output: 30))
    var events: [Event] = []
    let settlement = replica.gate.state.record(
      use(50), rates: .usdOnly, for: caller(), at: replica.gate.now, events: &events)
    #expect(settlement.charges.map(\.takenOffLease) == [.zero])
    try replica.settle(grant, use(0))
    #expect(replica.requests(demand(output: 30)).isEmpty)
  }
}
