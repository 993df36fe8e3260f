import Testing

@testable import catraca

@Suite("What commands notice of the machine") struct SurroundingsTests {
  @Test(
    "Who types is the user of the environment, else of the process",
    arguments: [
      (["USER": "alice", "LOGNAME": "bob"], "cli:alice"), (["LOGNAME": "bob"], "cli:bob"),
      (["USER": "", "LOGNAME": "bob"], "cli:nobody"), ([:], "cli:nobody"),
    ])
  func actor(environment: [String: String], actor: String) {
    var surroundings = TestBench().surroundings
    surroundings.environment = environment
    #expect(surroundings.actor == actor)
  }

  @Test("A process knows its user's name, or at least the number")
  func userName() {
    #expect(!Surroundings.ofThisProcess().userName().isEmpty)
  }
}
