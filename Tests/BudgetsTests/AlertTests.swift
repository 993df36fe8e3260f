import Testing
import Time

@testable import Budgets

@Suite("What was reported of a budget")
struct AlertTests {
  private static func reported(
    _ subject: String = "client:acme", percent: Int = 0, hasRefused: Bool = false,
    windowStart: Timestamp = BudgetConfigurationTests.window.start
  ) -> ReportedAlerts {
    ReportedAlerts(
      budget: BudgetID(client: "acme", name: "b"), subject: Subject(text: subject)!,
      windowStart: windowStart, highestPercent: percent, hasRefused: hasRefused)
  }

  @Test("A charge carries what it reaches, of each budget for itself")
  func charges() throws {
    var gate = Turnstile([
      budget("a", .tokens(1_000), alerts: [50, 80]),
      budget("b", .tokens(1_000), enforcement: .shadow, alerts: [10]),
      budget("c", .tokens(1_000_000), alerts: [80]),
    ])
    let charges = try gate.settle(gate.held(demand(output: 850)), use(850)).charges
    #expect(charges.map { $0.thresholds.map(\.percent) } == [[50, 80], [10], []])
    #expect(charges[0].thresholds.allSatisfy { $0.reachedAt == gate.now && $0.used == 850 })
    let again = try gate.settle(gate.held(demand(output: 10)), use(10)).charges
    #expect(again.allSatisfy { $0.thresholds.isEmpty })
  }

  @Test(
    "A start reports what was reached and never reported, once",
    arguments: [
      (nil, [50, 60]), (reported(percent: 50), [60]), (reported(percent: 60), []),
      (reported("user:acme", percent: 60), [50, 60]),
      (reported(percent: 60, windowStart: Timestamp(milliseconds: 0)), [50, 60]),
    ] as [(ReportedAlerts?, [Int])])
  func missed(_ reported: ReportedAlerts?, expected: [Int]) throws {
    var gate = Turnstile([budget(.tokens(100), alerts: [50, 60, 80])])
    try gate.apply(.restore([BudgetConfigurationTests.recorded()]))
    let reached = gate.state.restore(reported.map { [$0] } ?? [], at: gate.now)
    #expect(reached.map(\.percent) == expected)
    #expect(reached.allSatisfy { $0.used == 60 && $0.limit == 100 })
    try gate.settle(gate.held(demand(output: 20)), use(20))
    #expect(gate.takeEvents().thresholds.map(\.percent) == [80])
  }

  @Test("A raise that is in force counts at a start")
  func raised() throws {
    var gate = Turnstile([budget(.tokens(100), alerts: [50])])
    try gate.apply(.restore([BudgetConfigurationTests.recorded()]))
    try gate.apply(
      .raise(
        Target(budget: BudgetID(client: "acme", name: "b")),
        Raise(
          amount: Spend(tokens: 900, nanoUnits: 0), until: gate.now.advanced(by: .seconds(60)))))
    #expect(gate.state.restore([], at: gate.now).isEmpty)
  }

  @Test("What use from before a budget's time reaches is told with the next charge")
  func recalled() throws {
    var gate = Turnstile([budget(.tokens(100), alerts: [50, 80])])
    try gate.apply(.recall([BudgetConfigurationTests.recorded()]))
    #expect(gate.takeEvents().thresholds.isEmpty)
    try gate.settle(gate.held(demand(output: 1)), use(1))
    #expect(gate.takeEvents().thresholds.map(\.percent) == [50])
  }

  @Test("A refusal that was reported before a start isn't reported again")
  func refused() throws {
    for hasRefused in [false, true] {
      var gate = Turnstile([budget(.tokens(100))])
      _ = gate.state.restore([Self.reported(hasRefused: hasRefused)], at: gate.now)
      _ = try gate.denied(demand(output: 101))
      #expect(gate.takeEvents().exceeded.isEmpty == hasRefused)
    }
  }

  @Test("A limit of nought, of which nothing was used, has reached nothing")
  func nought() throws {
    var gate = Turnstile([budget(.tokens(0), alerts: [80])])
    _ = try gate.denied(demand(output: 1))
    #expect(gate.state.restore([], at: gate.now).isEmpty)
  }
}
