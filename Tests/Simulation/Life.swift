import Budgets

/// One server's life, all of which follows from its seed.
package struct Life: Sendable {
  /// A server's ledger is read through after each of its deaths: many short lives see more than
  /// one long one.
  package static let steps = 1_000

  /// How often each kind of thing happened: what never does isn't tested.
  package let coverage: [String: Int]
  /// The broken promises, each with its step; empty if every promise was kept.
  package let mistakes: [String]

  /// Lives it, up to the first mistake.
  package init(seed: UInt64) throws {
    let world = try World(seed: seed)
    var mistakes: [String] = []
    for number in 0..<Life.steps where mistakes.isEmpty {
      try world.step()
      let wrong = world.mistakes + world.state.checkInvariants()
      mistakes = wrong.map { "seed \(seed), step \(number): \($0)" }
    }
    coverage = world.coverage
    self.mistakes = mistakes
  }

  /// All that is answered in some steps of the life with this seed, in words.
  package static func history(seed: UInt64, steps: Int) throws -> [String] {
    let world = try World(seed: seed, withHistory: true)
    for _ in 0..<steps { try world.step() }
    return world.history ?? []
  }

  /// The events that have to happen in a few dozen lives.
  package static let expectations: [String] =
    [
      "asked", "served", "disconnected", "given back", "admitted after a wait", "waited too long",
      "denied", "clock set back", "disk full", "disk slow", "unhealthy", "refused by the ledger",
      "budgets reloaded", "paused", "resumed", "reset keep", "reset clear", "raised",
      "change refused", "killed", "lost power", "alert after a death",
    ] + DeathMoment.allCases.map { "died \($0.rawValue)" }
}
