import Testing

@testable import catraca

/// The command line of `reconcile`.
@Suite struct ReconcileTests {
  static let refusals: [(line: String, says: String)] = [
    ("reconcile", "--provider"),
    ("reconcile --provider groq", "there is no provider groq; allowed: one of openai"),
    ("reconcile --provider openai", "OPENAI_ADMIN_KEY holds no key"),
    ("reconcile --provider openai --key-env NOBODYS", "NOBODYS holds no key"),
    ("reconcile --provider openai --from 2026-13-01", "allowed: a date such as"),
    ("reconcile --provider openai --threshold -1", "allowed: a whole number"),
  ]

  @Test("What can't be compared is refused in words", arguments: refusals)
  func refused(_ line: String, _ says: String) async {
    let printout = await TestBench().run(line)
    #expect(printout.exitCode != .well && printout.error.contains(says), "\(printout.error)")
  }

  @Test("Days must be in order, and not too many", arguments: ["2026-11-21", "2025-11-01"])
  func spans(_ day: String) async {
    let bench = TestBench()
    var surroundings = bench.surroundings
    surroundings.environment["OPENAI_ADMIN_KEY"] = "sk-admin-x"
    let words = day < "2026" ? ["--from", day] : ["--from", "2026-11-22", "--to", day]
    let printout = await bench.run(
      ["reconcile", "--provider", "openai"] + words, in: surroundings)
    #expect(printout.exitCode == .failed && printout.error.contains("is no span"))
  }
}
