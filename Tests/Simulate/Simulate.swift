import Glibc
import Simulation

/// Lives many servers' lives on simulated disks and compares what each has recorded with what it
/// had promised.
///
///     simulate [STEPS [SEED]]   1,000,000 steps from seed 1 on where nothing is said
///
/// Exit status 1, and a line a mistake with its seed, if a promise was broken; the same seed breaks
/// it again.
@main
enum Simulate {
  static func main() async throws {
    let numbers = CommandLine.arguments.dropFirst().map { UInt64($0) }
    guard numbers.count <= 2, !numbers.contains(nil), numbers.first != .some(0) else {
      print("usage: simulate [STEPS [SEED]]")
      exit(2)
    }
    let steps = (numbers.first ?? nil) ?? 1_000_000
    let first = (numbers.dropFirst().first ?? nil) ?? 1
    let lives = max(1, steps / UInt64(Life.steps))
    let seeds = first..<(first + lives)
    print("\(lives * UInt64(Life.steps)) steps, seeds \(first) to \(seeds.upperBound - 1)")
    let (coverage, mistakes) = try await live(seeds)
    for (what, count) in coverage.sorted(by: { $0.key < $1.key }) { print("\(count)\t\(what)") }
    for mistake in mistakes { print(mistake) }
    let missing = lives < 50 ? [] : Life.expectations.filter { coverage[$0] == nil }
    for what in missing { print("never happened: \(what)") }
    if !mistakes.isEmpty || !missing.isEmpty { exit(1) }
    print("nothing lost, doubled or overspent")
  }

  /// Some at a time, one on each processor.
  private static func live(
    _ seeds: Range<UInt64>
  ) async throws -> (coverage: [String: Int], mistakes: [String]) {
    var coverage: [String: Int] = [:]
    var mistakes: [String] = []
    try await withThrowingTaskGroup(of: Life.self) { group in
      var waiting = seeds.makeIterator()
      for _ in 0..<max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) {
        if let seed = waiting.next() { group.addTask { try Life(seed: seed) } }
      }
      for try await life in group {
        coverage.merge(life.coverage, uniquingKeysWith: +)
        mistakes += life.mistakes
        if let seed = waiting.next() { group.addTask { try Life(seed: seed) } }
      }
    }
    return (coverage, mistakes)
  }
}
