import Budgets
import Randomness
import Testing
import Time

@Suite("Waiting")
struct WaitingTests {
  @Test("Who came first goes first, and a small newcomer doesn't overtake")
  func firstComeFirstServed() throws {
    var gate = Turnstile([budget(.tokens(100))])
    let running = try gate.held(demand(output: 80))
    let large = try gate.waiting(demand(output: 60))
    let small = try gate.waiting(demand(output: 5))
    let smaller = try gate.waiting(demand(output: 1))
    #expect(gate.takeEvents().isEmpty)
    try gate.settle(running, use(10))
    #expect(gate.takeEvents().admitted.map(\.ticket) == [large, small, smaller])
  }

  @Test("A wait ends at once where nothing can be paid for any more")
  func unpayable() throws {
    var gate = Turnstile([budget(.tokens(100))])
    let running = try gate.held(demand(output: 80))
    let ticket = try gate.waiting(demand(output: 60))
    try gate.settle(running, use(80))
    let denied = gate.takeEvents().denied
    #expect(denied.map(\.ticket) == [ticket])
    #expect(denied[0].denial.reason == .tokenLimit && denied[0].denial.used == 80)
  }

  @Test("Who can't be paid for even when all holds end at nothing never waits")
  func neverPayable() throws {
    var gate = Turnstile([budget(.tokens(100))])
    try gate.settle(gate.held(demand(output: 50)), use(50))
    _ = try gate.held(demand(output: 50))
    #expect(try gate.denied(demand(output: 51)).reason == .tokenLimit)
    _ = try gate.waiting(demand(output: 50))
  }

  @Test("A full queue refuses as contended")
  func fullQueue() throws {
    var gate = Turnstile([budget(.tokens(100))], queue: 2)
    _ = try gate.held(demand(output: 100))
    _ = try gate.waiting(demand(output: 10))
    _ = try gate.waiting(demand(output: 10))
    let denial = try gate.denied(demand(output: 10))
    #expect(denial.reason == .contended && denial.held == 100 && denial.used == 0)
    #expect(gate.takeEvents().exceeded.isEmpty, "nothing is exceeded")
    #expect(try gate.status().waiting == 2)
  }

  @Test("Who has waited long enough is refused as contended, and the next one's turn comes")
  func expiry() throws {
    var gate = Turnstile([budget(.tokens(100))])
    _ = try gate.held(demand(output: 60))
    let large = try gate.waiting(demand(output: 70))
    let small = try gate.waiting(demand(output: 40))
    try gate.apply(.expire(large))
    let events = gate.takeEvents()
    #expect(events.denied.map(\.ticket) == [large])
    #expect(events.denied[0].denial.reason == .contended)
    #expect(events.denied[0].denial.affordableOutputTokens == 40)
    #expect(events.admitted.map(\.ticket) == [small])
    try gate.apply(.expire(small))
    #expect(gate.takeEvents().isEmpty, "its turn had come before its time")
  }

  @Test("Who expires behind others is told that it only had to wait")
  func expiryBehind() throws {
    var gate = Turnstile([budget(.tokens(100))])
    let running = try gate.held(demand(output: 60))
    let first = try gate.waiting(demand(output: 90))
    let second = try gate.waiting(demand(output: 20))
    try gate.apply(.expire(second))
    #expect(gate.takeEvents().denied.map(\.denial.reason) == [.contended])
    try gate.settle(running, use(10))
    #expect(gate.takeEvents().admitted.map(\.ticket) == [first])
  }

  @Test("Who goes away makes room in the queue")
  func withdrawal() throws {
    var gate = Turnstile([budget(.tokens(100))])
    let running = try gate.held(demand(output: 60))
    let large = try gate.waiting(demand(output: 90))
    let small = try gate.waiting(demand(output: 40))
    try gate.apply(.withdraw(large))
    let events = gate.takeEvents()
    #expect(events.denied.isEmpty && events.admitted.map(\.ticket) == [small])
    try gate.apply(.withdraw(large))
    try gate.release(running)
    #expect(gate.takeEvents().isEmpty)
  }

  @Test("One user's burst never blocks other users of the client")
  func burst() throws {
    var gate = Turnstile([
      budget("client", .tokens(1_000)), budget("user", per: .user, .tokens(100)),
    ])
    let running = try gate.held(demand(output: 100), for: caller(user: "busy"))
    let burst = try (0..<5).map { _ in
      try gate.waiting(demand(output: 20), for: caller(user: "busy"))
    }
    _ = try gate.held(demand(output: 100), for: caller(user: "calm"))
    #expect(try gate.status("client").waiting == 0)
    try gate.release(running)
    #expect(gate.takeEvents().admitted.map(\.ticket) == burst)
  }

  @Test("A waiting request moves on to the next account in its way, in order of arrival")
  func movesOn() throws {
    var gate = Turnstile([
      budget("client", .tokens(100)), budget("user", per: .user, .tokens(60)),
    ])
    let own = try gate.held(demand(output: 50), for: caller(user: "u"))
    let other = try gate.held(demand(output: 50), for: caller(user: "v"))
    let early = try gate.waiting(demand(output: 40), for: caller(user: "u"))
    let late = try gate.waiting(demand(output: 30), for: caller(user: "w"))
    #expect(try gate.status("client").waiting == 2)
    // There is room for the early one now, but its user's own budget is held.
    try gate.release(other)
    #expect(gate.takeEvents().admitted.map(\.ticket) == [late])
    #expect(try gate.status("client").waiting == 0)
    try gate.release(own)
    #expect(gate.takeEvents().admitted.map(\.ticket) == [early])
  }

  @Test("A new window serves the queue, also for a request that came before midnight")
  func newWindow() throws {
    var gate = Turnstile([budget(.tokens(100), period: .daily)])
    _ = try gate.held(demand(output: 100))
    let first = try gate.waiting(demand(output: 60))
    let second = try gate.waiting(demand(output: 60))
    gate.now = try #require(Timestamp(rfc3339: "2026-11-23T00:00:00Z"))
    try gate.apply(.expire(second))
    let events = gate.takeEvents()
    #expect(events.admitted.map(\.ticket) == [first])
    #expect(events.denied.map(\.ticket) == [second])
    #expect(events.denied.first?.denial.reason == .contended)
  }

  @Test(
    "A burst of 200 uses a small budget up to less than one bound, nothing payable refused",
    arguments: [true, false], [1, 2, 3] as [UInt64])
  func usesUp(explicit: Bool, seed: UInt64) throws {
    let limit: Int64 = 40_000
    let leastOutput: Int64 = explicit ? 1_000 : 256
    var gate = Turnstile([budget(.tokens(limit))])
    let request = demand(
      input: 500, output: explicit ? 1_000 : 16_384, explicit: explicit, recent: 500)
    var random = SplitMix64(seed: seed)
    var live: [Grant] = []
    for _ in 0..<200 {
      switch gate.hold(request) {
      case .held(let grant): live.append(grant)
      case .waiting: break
      case .denied(let denial): Issue.record("nothing is used yet: \(denial)")
      }
    }
    while !live.isEmpty {
      let grant = live.remove(at: Int.random(in: 0..<live.count, using: &random))
      let output = Int64.random(in: 50...400, using: &random)
      try gate.settle(grant, use(125 + min(output, grant.bound.tokens - 500)))
      let events = gate.takeEvents()
      live += events.admitted.map(\.grant)
      for (_, denial) in events.denied {
        #expect(denial.used + 500 + leastOutput > limit, "refused although it could be paid for")
      }
    }
    let used = try gate.status().settledTokens
    #expect(used <= limit)
    #expect(limit - used < request.bound(output: leastOutput).tokens)
  }
}
