import Testing

/// Whole lives of replicas that share a number of conversations, repeatable from their seeds.
@Suite("Simulation of conversations at several replicas")
struct ConversationSimulationTests {
  @Test("No more begin than may, and all of those", arguments: Array(1...20) as [UInt64])
  func promises(seed: UInt64) throws {
    var simulation = ConversationSimulation(seed: seed)
    for number in 0..<3_000 {
      try simulation.step()
      guard simulation.mistakes.isEmpty else {
        Issue.record("seed \(seed), step \(number): \(simulation.mistakes)")
        return
      }
    }
    try simulation.useUp()
    #expect(simulation.mistakes.isEmpty, "seed \(seed), at the end")
    #expect(Int64(simulation.begunCount) == ConversationSimulation.limit, "seed \(seed)")
    #expect(simulation.permittedCount == 0, "seed \(seed)")
    #expect(simulation.coverage.allSatisfy { $0.value > 0 }, "\(simulation.coverage)")
  }
}
