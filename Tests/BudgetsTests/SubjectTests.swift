import Testing

@testable import Budgets

@Suite("Subjects that apps name")
struct SubjectTests {
  private func subjects(_ gate: Turnstile, _ id: BudgetID) throws -> Set<String> {
    Set(try gate.state.subjects(of: id, at: gate.now).map(\.subject.description))
  }

  @Test("Subjects beyond the limit share one that is held and refused like any other")
  func sharedSubject() throws {
    var gate = Turnstile([budget(per: .user, .tokens(10))], mostSubjects: 2)
    for user in ["u1", "u2"] { _ = try gate.held(demand(output: 10), for: caller(user: user)) }
    let third = try gate.held(demand(output: 6), for: caller(user: "u3"))
    _ = try gate.waiting(demand(output: 6), for: caller(user: "u4"))
    #expect(
      try subjects(gate, BudgetID(client: "acme", name: "b"))
        == ["user:u1", "user:u2", "user:other"])
    try gate.settle(third, use(6))
    let denial = try gate.denied(demand(output: 6), for: caller(user: "u5"))
    #expect(denial.subject.description == "user:other" && denial.used == 6)
  }

  @Test("In a budget over everything each client has a shared subject of its own")
  func sharedSubjectOfEachClient() throws {
    var gate = Turnstile([budget("all", client: "*", per: .user, .tokens(10))], mostSubjects: 1)
    _ = try gate.held(demand(output: 10), for: caller("acme", user: "u1"))
    _ = try gate.held(demand(output: 10), for: caller("acme", user: "u2"))
    _ = try gate.held(demand(output: 10), for: caller("globex", user: "u1"))
    _ = try gate.waiting(demand(output: 1), for: caller("globex", user: "u9"))
    #expect(
      try subjects(gate, BudgetID(client: "*", name: "all"))
        == ["user:acme/u1", "user:acme/other", "user:globex/other"])
  }

  @Test("Idle subjects make room for new ones")
  func room() throws {
    var gate = Turnstile([budget(per: .user, .tokens(10))], mostSubjects: 3)
    for number in 0..<50 {
      let grant = try gate.held(demand(output: 10), for: caller(user: "u\(number)"))
      try gate.release(grant)
    }
    #expect(gate.state.subjectCount <= 4)
    _ = try gate.held(demand(output: 10), for: caller(user: "new"))
    _ = try gate.held(demand(output: 10), for: caller(user: "newer"))
  }

  @Test(
    "A refusal keeps nothing of a name that never used anything",
    arguments: [BudgetDefinition.Per.user, .conversation])
  func refusedNames(per kind: BudgetDefinition.Per) throws {
    var gate = Turnstile([budget(per: kind, .tokens(5))])
    for number in 0..<1000 {
      let name = "n\(number)"
      _ = try gate.denied(demand(output: 6), for: caller(user: name, conversation: name))
    }
    #expect(gate.state.subjectCount < 10)
    #expect(
      gate.takeEvents().allSatisfy { event in
        if case .exceeded = event { false } else { true }
      })
  }

  @Test("The first refusal of a name that has used something is told once")
  func firstRefusal() throws {
    var gate = Turnstile([budget(per: .user, .tokens(5))])
    try gate.settle(try gate.held(demand(output: 3), for: caller(user: "u")), use(3))
    _ = gate.takeEvents()
    for _ in 0..<3 { _ = try gate.denied(demand(output: 3), for: caller(user: "u")) }
    let told = gate.takeEvents().count { event in
      if case .exceeded = event { true } else { false }
    }
    #expect(told == 1)
  }
}
