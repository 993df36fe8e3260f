import Budgets
import Money
import Testing
import Time

@Suite("Pause, reset and raise")
struct AdjustmentTests {
  let target = Target(budget: BudgetID(client: "acme", name: "b"))

  func user(_ name: String) -> Target {
    Target(budget: target.budget, subject: Subject(kind: .user, value: name))
  }

  @Test("A pause refuses everything until it is resumed, and requests in flight end well")
  func pause() throws {
    var gate = Turnstile([budget(.tokens(100), enforcement: .shadow)])
    let running = try gate.held(demand(output: 10))
    try gate.apply(.pause(target))
    #expect(try gate.denied(demand(output: 1)).reason == .paused)
    #expect(try gate.status().pause == .manual)
    try gate.settle(running, use(10))
    try gate.apply(.resume(target))
    #expect(try gate.held(demand(output: 1)).bound.tokens == 1)
    #expect(try gate.status().settledTokens == 10)
  }

  @Test("A pause ends the wait of those who wait")
  func pauseWhileWaiting() throws {
    var gate = Turnstile([budget(.tokens(100))])
    _ = try gate.held(demand(output: 100))
    let tickets = try (0..<3).map { _ in try gate.waiting(demand(output: 10)) }
    try gate.apply(.pause(target))
    let denied = gate.takeEvents().denied
    #expect(denied.map(\.ticket) == tickets)
    #expect(denied.allSatisfy { $0.denial.reason == .paused })
  }

  @Test("One subject is paused or resumed apart from the others")
  func pauseSubject() throws {
    var gate = Turnstile([budget(per: .user, .tokens(100))])
    try gate.apply(.pause(user("u1")))
    #expect(try gate.denied(demand(output: 1), for: caller(user: "u1")).reason == .paused)
    _ = try gate.held(demand(output: 1), for: caller(user: "u2"))
    try gate.apply(.pause(target))
    try gate.apply(.resume(user("u1")))
    _ = try gate.held(demand(output: 1), for: caller(user: "u1"))
    #expect(try gate.denied(demand(output: 1), for: caller(user: "u2")).reason == .paused)
    try gate.apply(.resume(target))
    _ = try gate.held(demand(output: 1), for: caller(user: "u2"))
  }

  @Test("What doesn't exist can't be adjusted")
  func unknown() throws {
    var gate = Turnstile([budget(per: .user, .tokens(100))])
    let other = BudgetID(client: "acme", name: "other")
    #expect(throws: BudgetError.unknownBudget(other)) {
      try gate.apply(.pause(Target(budget: other)))
    }
    let key = Subject(kind: .key, value: "web")
    #expect(throws: BudgetError.wrongSubject(key, target.budget)) {
      try gate.apply(.reset(Target(budget: target.budget, subject: key), .keep))
    }
  }

  @Test("Clearing forgets what is settled, keeps holds, and moves no end")
  func clear() throws {
    var gate = Turnstile([budget(.tokens(100), alerts: [50])])
    try gate.settle(gate.held(demand(output: 70)), use(70))
    let running = try gate.held(demand(output: 30))
    let ticket = try gate.waiting(demand(output: 25))
    let end = try gate.status().window.end
    _ = gate.takeEvents()
    guard case .charges(let charges) = try gate.apply(.reset(target, .clear)) else {
      Issue.record("a reset is answered by charges")
      return
    }
    #expect(charges.map(\.tokens) == [0] && charges.first?.window.start == gate.now)
    #expect(gate.takeEvents().admitted.map(\.ticket) == [ticket])
    let status = try gate.status()
    #expect(status.settledTokens == 0 && status.heldTokens == 55 && status.window.end == end)
    // A hold from before the reset counts after it: its tokens are used after it.
    let charge = try #require(try gate.settle(running, use(30)).charges.first)
    #expect(charge.window == charges.first?.window)
    #expect(try gate.status().settledTokens == 30)
    try gate.settle(gate.held(demand(output: 30)), use(30))
    #expect(gate.takeEvents().thresholds.map(\.percent) == [50])
  }

  @Test("Keeping re-arms the alerts, and lifts no pause")
  func keep() throws {
    var gate = Turnstile([budget(.tokens(100), alerts: [50])])
    try gate.settle(gate.held(demand(output: 60)), use(60))
    try gate.apply(.pause(target))
    try gate.apply(.reset(target, .keep))
    #expect(try gate.status().settledTokens == 60 && gate.status().pause == .manual)
    try gate.apply(.resume(target))
    _ = gate.takeEvents()
    try gate.settle(gate.held(demand(output: 1)), use(1))
    #expect(gate.takeEvents().thresholds.map(\.percent) == [50])
  }

  @Test("A raise adds to the limits until its end; what was used under it stays used")
  func raise() throws {
    var gate = Turnstile([budget(.tokens(100))])
    let running = try gate.held(demand(output: 100))
    let ticket = try gate.waiting(demand(output: 100))
    let end = gate.now.advanced(by: .seconds(3_600))
    try gate.apply(.raise(target, Raise(amount: Spend(tokens: 100, nanoUnits: 0), until: end)))
    let admitted = gate.takeEvents().admitted
    #expect(admitted.map(\.ticket) == [ticket])
    #expect(try gate.status().limitTokens == 200 && gate.status().raise?.until == end)
    try gate.settle(running, use(100))
    gate.now = end
    #expect(try gate.status().limitTokens == 100 && gate.status().raise == nil)
    #expect(try gate.denied(demand(output: 1)).limit == 100)
    try gate.settle(admitted[0].grant, use(50))
    #expect(try gate.status().settledTokens == 150 && gate.status().remainingTokens == 0)
  }

  @Test("A second raise replaces the first, one of nought ends it, a subject has its own")
  func replaced() throws {
    var gate = Turnstile([budget(per: .user, .tokens(100))])
    let until = gate.now.advanced(by: .seconds(60))
    func raise(_ target: Target, _ tokens: Int64) throws {
      try gate.apply(
        .raise(target, Raise(amount: Spend(tokens: tokens, nanoUnits: 0), until: until)))
    }
    func limits() throws -> [Int64?] {
      gate.state.statuses(for: caller(user: "u1"), at: gate.now).map(\.limitTokens)
        + gate.state.statuses(for: caller(user: "u2"), at: gate.now).map(\.limitTokens)
    }
    try raise(target, 50)
    try raise(target, 20)
    #expect(try limits() == [120, 120])
    try raise(user("u1"), 5)
    #expect(try limits() == [105, 120])
    try raise(user("u1"), 0)
    #expect(try limits() == [100, 120])
    try raise(target, 0)
    #expect(try limits() == [100, 100])
  }

  @Test("What is cleared stays apart from what comes after, whoever was known at the reset")
  func clearUnknown() throws {
    var gate = Turnstile([budget(per: .user, .tokens(100), period: .daily)])
    gate.now = gate.now.advanced(by: .seconds(60))
    try gate.apply(.reset(target, .clear))
    let grant = try gate.held(demand(output: 10), for: caller(user: "new"))
    #expect(try gate.settle(grant, use(10)).charges.map(\.window.start) == [gate.now])
  }

  @Test("What was cleared before a restart stays apart too, however many subjects come and go")
  func clearBeforeRestart() throws {
    var gate = Turnstile([budget("b", per: .user, .tokens(100), period: .daily)])
    let cleared = gate.now
    gate.now = gate.now.advanced(by: .seconds(60))
    gate.state.restoreClearing(of: user("u1"), at: cleared, now: gate.now)
    func start(of name: String) throws -> Timestamp? {
      for number in 0..<50 {
        try gate.release(gate.held(demand(output: 1), for: caller(user: "\(name)\(number)")))
      }
      let grant = try gate.held(demand(output: 1), for: caller(user: name))
      return try gate.settle(grant, use(1)).charges.first?.window.start
    }
    #expect(try start(of: "u1") == cleared)
    #expect(try #require(try start(of: "u2")) < cleared)
    gate.state.restoreClearing(of: target, at: cleared, now: gate.now)
    #expect(try start(of: "u3") == cleared)
  }
}
