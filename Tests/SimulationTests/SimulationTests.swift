import Simulation
import Testing

/// A taste of what `simulate` does a million steps of.
@Suite("Simulated servers")
struct SimulationTests {
  /// In the last one a process dies before what it wrote is on the disk, and the next loses power.
  static let seeds: [UInt64] = Array(1...8) + [296]

  @Test("Nothing is lost, doubled or overspent, whatever dies when", arguments: seeds)
  func promises(seed: UInt64) throws {
    #expect(try Life(seed: seed).mistakes == [])
  }

  @Test("The same seed brings the same life")
  func deterministic() throws {
    let (first, second) = try (
      Life.history(seed: 99, steps: 500), Life.history(seed: 99, steps: 500)
    )
    #expect(first.indices.first { first[$0] != second[$0] } == nil)
    #expect(first.count == second.count && first.count > 100)
  }
}
