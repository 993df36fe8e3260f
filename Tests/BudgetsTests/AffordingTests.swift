import Money
import Testing

@testable import Budgets

@Suite("The size of a request that leaves it open")
struct AffordingTests {
  /// Demands of 8, 4, 2 and 1 tokens, of which the usual one is 4.
  private static let demands = [8, 4, 2, 1].map { demand(input: $0 - 1, output: 1) }

  @Test(
    "is an eighth of what is left, or the usual one if it fits, else what fits",
    arguments: [
      (64, 0), (63, 1), (32, 1), (31, 1), (4, 1), (3, 2), (2, 2), (1, 3), (0, 3),
    ] as [(Int64, Int)])
  func index(_ left: Int64, _ expected: Int) {
    var gate = Turnstile([budget(.tokens(left + 10))])
    var events: [Event] = []
    _ = gate.state.record(use(10), rates: .usdOnly, for: caller(), at: gate.now, events: &events)
    let index = gate.state.affordableIndex(
      of: Self.demands, usual: 1, for: caller(), at: gate.now)
    #expect(index == expected)
  }

  @Test("is what the tightest of several hard budgets pays for")
  func tightest() {
    var gate = Turnstile([
      budget("wide", .tokens(1_000)), budget("narrow", .tokens(2)),
      budget("shadow", .tokens(1), enforcement: .shadow),
    ])
    #expect(
      gate.state.affordableIndex(of: Self.demands, usual: 1, for: caller(), at: gate.now) == 2)
  }

  @Test(
    "isn't limited where no budget is hard",
    arguments: [[], [BudgetDefinition.Enforcement.soft, .shadow]])
  func open(_ enforcements: [BudgetDefinition.Enforcement]) {
    var gate = Turnstile(
      enforcements.map { budget("\($0)", .tokens(1), enforcement: $0) })
    #expect(
      gate.state.affordableIndex(of: Self.demands, usual: 1, for: caller(), at: gate.now) == nil)
  }
}
