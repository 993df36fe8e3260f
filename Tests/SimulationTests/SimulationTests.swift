import Budgets
import Glibc
import Testing

/// Whole lives of a server on a simulated disk, chosen at random and repeatable from their seeds.
///
///     CATRACA_SIMULATION_STEPS   how many altogether
///     CATRACA_SIMULATION_SEED    the first seed; a failure names its own
@Suite("Simulated servers")
struct SimulationTests {
  /// A server's ledger is read through after each of its deaths: many short lives see more.
  static let stepsEach = 1_000
  #if DEBUG
    static let steps = number("CATRACA_SIMULATION_STEPS") ?? 8_000
  #else
    static let steps = number("CATRACA_SIMULATION_STEPS") ?? 1_000_000
  #endif
  static let firstSeed = UInt64(number("CATRACA_SIMULATION_SEED") ?? 1)
  static let shares = 2

  private static func number(_ name: String) -> Int? {
    getenv(name).flatMap { Int(String(cString: $0)) }
  }

  @Test("Nothing is lost, doubled or overspent, whatever dies when", arguments: 0..<shares)
  func promises(share: Int) throws {
    var coverage: [String: Int] = [:]
    let worlds = UInt64(max(1, Self.steps / Self.stepsEach))
    for seed in Self.firstSeed..<(Self.firstSeed + worlds)
    where seed % UInt64(Self.shares) == UInt64(share) {
      let world = try World(seed: seed)
      for number in 0..<Self.stepsEach {
        try world.step()
        let wrong = world.mistakes + world.state.checkInvariants()
        guard wrong.isEmpty else {
          Issue.record("seed \(seed), step \(number): \(wrong.joined(separator: "\n"))")
          return
        }
      }
      coverage.merge(world.coverage, uniquingKeysWith: +)
    }
    let expected = [
      "asked", "served", "given back", "admitted after a wait", "denied", "killed", "lost power",
      "disk full", "unhealthy", "refused by the ledger", "clock set back", "alert after a death",
    ]
    if worlds > 10 { #expect(expected.allSatisfy { coverage[$0, default: 0] > 0 }, "\(coverage)") }
  }

  @Test("The same seed brings the same life")
  func deterministic() throws {
    func run() throws -> [String] {
      let world = try World(seed: 99, withHistory: true)
      for _ in 0..<500 { try world.step() }
      return try #require(world.history)
    }
    let (first, second) = (try run(), try run())
    #expect(first.indices.first { first[$0] != second[$0] } == nil)
    #expect(first.count == second.count && first.count > 100)
  }
}
