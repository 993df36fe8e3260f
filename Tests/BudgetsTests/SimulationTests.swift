import Budgets
import Money
import Testing
import Time

/// Whole lives of the state machine, chosen at random and repeatable from their seeds.
@Suite("Simulation")
struct SimulationTests {
  #if DEBUG
    /// A taste: unoptimized, each command takes a hundred times as long, most of it for the checks.
    static let seeds = Array(1...8) as [UInt64]
    static let commandsEach = 1_000
  #else
    /// Together 400,000 commands.
    static let seeds = Array(1...20) as [UInt64]
    static let commandsEach = 20_000
  #endif

  @Test("Whatever happens in whatever order, the promises hold", arguments: seeds)
  func promises(seed: UInt64) throws {
    var simulation = Simulation(seed: seed)
    for number in 0..<Self.commandsEach {
      try simulation.step()
      let wrong = simulation.state.checkInvariants() + simulation.takeMistakes()
      guard wrong.isEmpty else {
        Issue.record("seed \(seed), command \(number): \(wrong.joined(separator: "; "))")
        return
      }
    }
    try simulation.drain()
    let wrong = simulation.state.checkInvariants() + simulation.takeMistakes()
    #expect(wrong.isEmpty, "seed \(seed), at the end")
    #expect(simulation.coverage.allSatisfy { $0.value > 0 }, "\(simulation.coverage)")
  }

  @Test("The same commands bring the same events")
  func deterministic() throws {
    func run() throws -> [String] {
      var simulation = Simulation(seed: 99, withHistory: true)
      for _ in 0..<1_000 { try simulation.step() }
      return simulation.history ?? []
    }
    let (first, second) = (try run(), try run())
    #expect(first.indices.first { first[$0] != second[$0] } == nil)
  }
}
