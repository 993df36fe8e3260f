import Budgets
import Money
import Testing
import Time

@Suite("A pause by a limit goes on after a restart")
struct LimitPauseTests {
  private let target = Target(budget: BudgetID(client: "acme", name: "b"))

  /// A budget of 300 tokens of which 100 are used, and that has refused what it can't pay for.
  private func paused() throws -> Turnstile {
    var gate = Turnstile([budget(.tokens(300))])
    let grant = try gate.held(demand(output: 100))
    try gate.settle(grant, use(100))
    _ = gate.takeEvents()
    _ = try gate.denied(demand(output: 1000))
    return gate
  }

  /// Another process, which finds 100 tokens used, and these pauses.
  private func restarted(
    _ pauses: [LimitPause], _ limit: BudgetLimit = .tokens(300)
  ) throws -> Turnstile {
    var gate = Turnstile([budget(limit)])
    let grant = try gate.held(demand(output: 100))
    try gate.settle(grant, use(100))
    gate.state.restore(pauses, at: gate.now)
    return gate
  }

  @Test("Its beginning is told once, and a start goes on with it")
  func begins() throws {
    var gate = try paused()
    #expect(try gate.status().pause == .limit(.tokens))
    let pauses = gate.takeEvents().limitPauses
    #expect(pauses.map(\.unit) == [.tokens])
    #expect(pauses.map(\.limit) == [300])
    _ = try gate.denied(demand(output: 1000))
    #expect(gate.takeEvents().limitPauses.isEmpty)
    #expect(try restarted(pauses).status().pause == .limit(.tokens))
    #expect(try restarted([]).status().pause == nil)
  }

  @Test("A higher limit than then has ended it")
  func higherLimit() throws {
    var gate = try paused()
    let pauses = gate.takeEvents().limitPauses
    #expect(try restarted(pauses, .tokens(301)).status().pause == nil)
    #expect(try restarted(pauses, .tokens(299)).status().pause == .limit(.tokens))
  }

  @Test("A request that fits, a raise, a reset and another definition tell its end")
  func ends() throws {
    let ends: [(inout Turnstile) throws -> Void] = [
      { _ = try $0.held(demand(output: 10)) },
      {
        try $0.apply(
          .raise(
            target,
            Raise(
              amount: Spend(tokens: 5, nanoUnits: 0), until: $0.now.advanced(by: .seconds(60)))))
      },
      { try $0.apply(.reset(target, .keep)) },
      { try $0.configure([budget(.tokens(400))]) },
      { try $0.configure([]) },
    ]
    for end in ends {
      var gate = try paused()
      _ = gate.takeEvents()
      try end(&gate)
      let told = gate.takeEvents().limitPauses
      #expect(told.map(\.budget) == [target.budget])
      #expect(told.allSatisfy { $0.unit == nil })
    }
  }
}

extension [Event] {
  fileprivate var limitPauses: [LimitPause] {
    compactMap { if case .limitPause(let pause) = $0 { pause } else { nil } }
  }
}
