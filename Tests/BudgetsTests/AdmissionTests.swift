import Budgets
import Money
import Testing
import Time

@Suite("Admission")
struct AdmissionTests {
  @Test("200 at once on a budget for 7 bounds: exactly 7 go when each uses its bound")
  func exactCeiling() throws {
    var gate = Turnstile([budget(.both(tokens: 7_000, cost: reais("0.0378")))], rates: brlRates)
    let request = demand(input: 400, output: 600, fixedCost: microDollars(400), rates: brlRates)
    var live: [Grant] = []
    var waiting = 0
    for _ in 0..<200 {
      switch gate.hold(request) {
      case .held(let grant): live.append(grant)
      case .waiting: waiting += 1
      case .denied(let denial): Issue.record("\(denial)")
      }
    }
    #expect(live.count == 7 && waiting == 193)
    for grant in live { try gate.settle(grant, request.bound(output: 600)) }
    let events = gate.takeEvents()
    #expect(events.admitted.isEmpty)
    #expect(events.denied.count == 193)
    #expect(events.denied.allSatisfy { $0.denial.reason == .tokenLimit && $0.denial.held == 0 })
    #expect(try gate.status().settledTokens == 7_000)
    #expect(try gate.status().settledCost == reais("0.0378"))
  }

  @Test("A request is held on all its budgets or on none")
  func allOrNone() throws {
    var gate = Turnstile([
      budget("client", .tokens(1_000)), budget("user", per: .user, .tokens(100)),
      budget("all", client: "*", .tokens(50)),
    ])
    let denial = try gate.denied(demand(output: 80), for: caller(user: "u1"))
    #expect(denial.budget == BudgetID(client: "*", name: "all"))
    #expect(denial.subject.description == "client:*")
    for status in gate.state.statuses(for: caller(user: "u1"), at: gate.now) {
      #expect(status.heldTokens == 0 && status.heldCost.nanoUnits == 0)
    }
    _ = try gate.held(demand(output: 50), for: caller(user: "u1"))
    for status in gate.state.statuses(for: caller(user: "u1"), at: gate.now) {
      #expect(status.heldTokens == 50)
    }
  }

  @Test("The refusal says everything that the article Errors shows")
  func refusal() throws {
    let zone = zone("America/Sao_Paulo")
    var gate = Turnstile(
      [budget("1", .both(tokens: 1_000_000, cost: reais("500")), zone: zone)], rates: brlRates)
    let first = try gate.held(demand(output: 1_000_000, outputTokenCost: .zero, rates: brlRates))
    try gate.settle(first, use(998_120))
    let denial = try gate.denied(
      demand(input: 420, output: 3_790, outputTokenCost: .zero, rates: brlRates))
    #expect(denial.budget.description == "acme/1")
    #expect(denial.subject.description == "client:acme")
    #expect(denial.mode == .both && denial.unit == .tokens && denial.reason == .tokenLimit)
    #expect(denial.limit == 1_000_000 && denial.used == 998_120 && denial.held == 0)
    #expect(denial.requested == 4_210 && denial.remaining == 1_880)
    #expect(denial.affordableOutputTokens == 1_460)
    #expect(denial.resetAt == Timestamp(rfc3339: "2026-12-01T00:00:00-03:00"))
  }

  @Test("A cost refusal counts nano-units of the budget's currency, rounded up once")
  func costRefusal() throws {
    var gate = Turnstile([budget(.cost(reais("0.000001")))], rates: brlRates)
    // 1 microdollar at 5.40 is 5.4 microreais; with a third of a nanodollar more, 5,402 nano.
    let price = ExactAmount(units: microDollars(1).units + 10_000_000_000_000)
    let denial = try gate.denied(
      demand(output: 1, outputTokenCost: price, rates: brlRates))
    #expect(denial.reason == .costLimit && denial.unit == .nanoUnits(brl))
    #expect(denial.limit == 1_000 && denial.requested == 5_402 && denial.remaining == 1_000)
    #expect(denial.affordableOutputTokens == 0)
  }

  @Test("Of several refusals, the one that ends last is told; a pause and a total never end")
  func latestReset() throws {
    let daily = budget("d", .tokens(10), period: .daily)
    let monthly = budget("m", .tokens(10), period: .monthly)
    let total = budget("t", .tokens(10), period: .total)
    for order in [[daily, monthly], [monthly, daily]] {
      var gate = Turnstile(order)
      #expect(try gate.denied(demand(output: 11)).budget.name == "m")
    }
    var gate = Turnstile([daily, total, monthly])
    let denial = try gate.denied(demand(output: 11))
    #expect(denial.budget.name == "t" && denial.resetAt == nil)
    var paused = Turnstile([daily, monthly])
    try paused.apply(.pause(Target(budget: daily.id)))
    let pause = try paused.denied(demand(output: 11))
    #expect(pause.reason == .paused && pause.budget.name == "d" && pause.resetAt == nil)
    #expect(pause.affordableOutputTokens == 0)
  }

  @Test("Of refusals that end together, the first budget tells; within one, a pause, then tokens")
  func firstOfEqual() throws {
    let cost = BudgetLimit.cost(Money(nanoUnits: 1, currency: .usd))
    let (first, second) = (budget("a", cost), budget("b", .tokens(1)))
    for (order, reason) in [([first, second], "cost_limit"), ([second, first], "token_limit")] {
      var gate = Turnstile(order)
      #expect(try gate.denied(demand(output: 11)).reason.rawValue == reason)
      // Another order by a reload counts at once, as after a restart.
      try gate.configure(order.reversed())
      #expect(try gate.denied(demand(output: 11)).budget.name == order[1].id.name)
    }
    let everything = budget("c", client: "*", .tokens(1))
    var shared = Turnstile([everything, first])
    #expect(try shared.denied(demand(output: 11)).budget.name == "a")
    let both = budget(.both(tokens: 1, cost: Money(nanoUnits: 1, currency: .usd)))
    var one = Turnstile([both])
    #expect(try one.denied(demand(output: 11)).reason == .tokenLimit)
    try one.apply(.pause(Target(budget: both.id)))
    #expect(try one.denied(demand(output: 11)).reason == .paused)
  }

  @Test("A limit of nought allows nothing, also what is free")
  func nought() throws {
    var gate = Turnstile([budget(.cost(Money(nanoUnits: 0, currency: .usd)))])
    #expect(try gate.denied(demand(output: 5, outputTokenCost: .zero)).reason == .costLimit)
  }

  @Test("Figures beyond every measure are refused, not a trap")
  func absurd() throws {
    var gate = Turnstile([budget(.both(tokens: 100, cost: Money(nanoUnits: 9, currency: .usd)))])
    let absurd = demand(
      input: .max, output: .max, choices: .max, fixedCost: .unlimited,
      outputTokenCost: .unlimited)
    #expect(try gate.denied(absurd).requested == .max)
    var shadow = Turnstile([budget(.tokens(100), enforcement: .shadow)])
    let first = try shadow.held(absurd)
    let second = try shadow.held(absurd)
    #expect(try shadow.status().heldTokens == .max)
    try shadow.settle(first, Consumption(tokens: .max, cost: .unlimited))
    try shadow.settle(second, Consumption(tokens: .max, cost: .unlimited))
    #expect(try shadow.status().settledTokens == .max && shadow.status().heldTokens == 0)
  }

  @Test("Subjects count apart: users, keys, models, conversations, and nobody as one")
  func subjects() throws {
    var gate = Turnstile([budget(per: .user, .tokens(10))])
    _ = try gate.held(demand(output: 10), for: caller(user: "u1"))
    _ = try gate.held(demand(output: 10), for: caller(user: "u2"))
    _ = try gate.held(demand(output: 6), for: caller(key: "a"))
    _ = try gate.waiting(demand(output: 6), for: caller(key: "b"))
    _ = try gate.held(demand(output: 10), for: caller("globex", user: "u1"))
    let seen = try gate.state.subjects(of: BudgetID(client: "acme", name: "b"), at: gate.now)
    #expect(Set(seen.map(\.subject.description)) == ["user:u1", "user:u2", "user:"])
  }

  @Test("A budget over everything keeps clients' users of one name apart, and models together")
  func everything() throws {
    var gate = Turnstile([
      budget("u", client: "*", per: .user, .tokens(10)),
      budget("m", client: "*", per: .model, .tokens(15)),
    ])
    _ = try gate.held(demand(output: 8), for: caller("acme", user: "u1"))
    _ = try gate.held(demand(output: 7), for: caller("globex", user: "u1"))
    let denial = try #require(gate.hold(demand(output: 16), for: caller("third")).denial)
    #expect(denial.subject.description == "user:third/")
    _ = try gate.waiting(demand(output: 1), for: caller("third"))
  }

  @Test("Soft holds the estimate, and refuses once settled and held reach the limit")
  func soft() throws {
    var gate = Turnstile([budget(.tokens(100), enforcement: .soft)])
    let request = demand(output: 5_000, estimate: use(60))
    let first = try gate.held(request)
    #expect(try gate.status().heldTokens == 60)
    let second = try gate.held(request)
    let denial = try gate.denied(request)
    #expect(denial.reason == .tokenLimit && denial.held == 120 && denial.requested == 60)
    try gate.settle(first, use(10))
    try gate.settle(second, use(20))
    #expect(try gate.held(request).clampedOutput == nil)
    #expect(gate.takeEvents().overruns.isEmpty)
  }

  @Test("Shadow lets everything go, and says what it would have refused")
  func shadow() throws {
    var gate = Turnstile([budget(.tokens(100), enforcement: .shadow)])
    let first = try gate.held(demand(output: 90))
    _ = try gate.held(demand(output: 90))
    #expect(gate.takeEvents().isEmpty, "that one would only have waited")
    try gate.settle(first, use(90))
    _ = try gate.held(demand(output: 90))
    let events = gate.takeEvents()
    let denial = try #require(events.shadowed.first)
    #expect(denial.reason == .tokenLimit && denial.used == 90 && denial.requested == 90)
    #expect(denial.affordableOutputTokens == 0 && denial.held == 90)
    #expect(events.exceeded.count == 1)
    #expect(try gate.status().pause == nil)
  }

  @Test("Settling says what is left of the tightest budget")
  func tightest() throws {
    var gate = Turnstile([
      budget("wide", .tokens(1_000)), budget("tight", .tokens(100)),
      budget("shadow", .tokens(10), enforcement: .shadow),
    ])
    let grant = try gate.held(demand(output: 40))
    #expect(grant.tightest?.budget.name == "tight")
    #expect(grant.tightest?.tokens == 60 && grant.tightest?.cost == nil)
    let settlement = try gate.settle(grant, use(10))
    #expect(settlement.tightest?.tokens == 90)
    #expect(settlement.tightest?.resetAt == Timestamp(rfc3339: "2026-12-01T00:00:00Z"))
  }
}

let brlRates = brazilianRates()

func reais(_ text: String) -> Money { try! Money(decimal: text, currency: brl) }
