import Budgets
import Testing

/// Whole lives of several replicas, chosen at random and repeatable from their seeds.
@Suite("Simulation of replicas")
struct ReplicaSimulationTests {
  #if DEBUG
    static let seeds = Array(1...10) as [UInt64]
    static let commandsEach = 1_500
  #else
    static let seeds = Array(1...40) as [UInt64]
    static let commandsEach = 10_000
  #endif

  @Test("No limit is ever passed, and each can be used up", arguments: seeds)
  func promises(seed: UInt64) throws {
    var simulation = ReplicaSimulation(seed: seed)
    for number in 0..<Self.commandsEach {
      try simulation.step()
      let wrong = simulation.takeMistakes()
      guard wrong.isEmpty else {
        Issue.record("seed \(seed), command \(number): \(wrong.joined(separator: "; "))")
        return
      }
    }
    try simulation.useUp()
    let wrong = simulation.takeMistakes()
    #expect(wrong.isEmpty, "seed \(seed), at the end")
    #expect(simulation.coverage.allSatisfy { $0.value > 0 }, "\(simulation.coverage)")
  }
}
