import Budgets
import Money
import Testing

@Suite("Requests that name several users")
struct DemandPartsTests {
  private let perUser = budget("users", per: .user, .tokens(100))

  /// A batch whose lines use at most this number of tokens for each user.
  private func batch(_ users: [String: Int64]) -> Demand {
    var parts = DemandParts()
    for (user, tokens) in users {
      parts.add(DemandPart(bound: use(tokens), estimate: use(tokens)), ofUser: user)
    }
    return Demand(
      inputTokens: users.values.reduce(0, +), fixedCost: .zero, outputTokenCost: .zero,
      choices: 1, largestOutput: 0, limitIsExplicit: true, recentOutput: nil, estimate: .zero,
      rates: .usdOnly, parts: parts)
  }

  private func held(_ gate: Turnstile, _ user: String, client: String = "acme") throws -> [Int64] {
    let id = BudgetID(client: client, name: "users")
    let subject = client == "*" ? "acme/\(user)" : user
    let status = try gate.state.subjects(of: id, at: gate.now)
      .first { $0.subject.value == subject }
    return [status?.settledTokens ?? 0, status?.heldTokens ?? 0]
  }

  @Test("Each user's budget holds that user's lines, and the client's holds all of them")
  func heldApart() throws {
    for client in ["acme", "*"] {
      let users = budget("users", client: client, per: .user, .tokens(100))
      var gate = Turnstile([budget(.tokens(1_000)), users])
      _ = try gate.held(batch(["u1": 80, "u2": 60]))
      #expect(try gate.status().heldTokens == 140)
      #expect(try held(gate, "u1", client: client) == [0, 80])
      #expect(try held(gate, "u2", client: client) == [0, 60])
    }
  }

  @Test("If one user can't pay for its lines, the batch is refused and nothing is held")
  func allOrNone() throws {
    var gate = Turnstile([budget(.tokens(1_000)), perUser])
    let denial = try gate.denied(batch(["u1": 80, "u2": 101]))
    #expect(denial.subject == Subject(kind: .user, value: "u2"))
    #expect(denial.requested == 101 && denial.limit == 100)
    #expect(try gate.status().heldTokens == 0)
    #expect(try held(gate, "u1") == [0, 0])
  }

  @Test("A batch waits for the holds of a user whom it names")
  func waits() throws {
    var gate = Turnstile([perUser])
    let other = try gate.held(demand(output: 50), for: caller(user: "u2"))
    _ = try gate.waiting(batch(["u1": 80, "u2": 60]))
    try gate.release(other)
    #expect(try held(gate, "u1") == [0, 80])
    #expect(try held(gate, "u2") == [0, 60])
  }

  @Test("A line draws on its own user's hold, and the rest of all holds ends with the batch")
  func drawn() throws {
    var gate = Turnstile([budget(.tokens(1_000)), perUser])
    let grant = try gate.held(batch(["u1": 80, "u2": 60]))
    let response = try gate.apply(.draw(grant.hold, use(25), for: caller(user: "u2")))
    guard case .settlement(let settlement) = response else { throw BudgetError.unknownHold }
    #expect(settlement.charges.map(\.subject.description) == ["client:acme", "user:u2"])
    #expect(try held(gate, "u1") == [0, 80])
    #expect(try held(gate, "u2") == [25, 35])
    try gate.release(grant)
    #expect(try held(gate, "u1") == [0, 0])
    #expect(try held(gate, "u2") == [25, 0])
    #expect(try gate.status().settledTokens == 25)
  }

  @Test("Use whose user nobody knows is drawn from the largest hold that is left")
  func unknownUser() throws {
    var gate = Turnstile([perUser])
    let grant = try gate.held(batch(["u1": 80, "u2": 60]))
    for _ in 0..<4 { try gate.apply(.draw(grant.hold, use(25))) }
    #expect(try held(gate, "u1") == [50, 30])
    #expect(try held(gate, "u2") == [50, 10])
  }

  @Test("A batch that is charged its whole hold charges each user the user's own")
  func whole() throws {
    var gate = Turnstile([perUser])
    let grant = try gate.held(batch(["u1": 80, "u2": 60]))
    try gate.settle(grant, grant.bound)
    #expect(try held(gate, "u1") == [80, 0])
    #expect(try held(gate, "u2") == [60, 0])
  }

  @Test("A use of the whole batch is shared in proportion to the holds, rounded up")
  func shared() throws {
    var gate = Turnstile([perUser])
    let grant = try gate.held(batch(["u1": 80, "u2": 60]))
    try gate.settle(grant, use(35))
    #expect(try held(gate, "u1") == [20, 0])
    #expect(try held(gate, "u2") == [15, 0])
  }

  @Test("Users beyond the last that is counted apart share one account, and hold the sum there")
  func sharedAccount() throws {
    var gate = Turnstile([perUser], mostSubjects: 1)
    _ = try gate.held(demand(output: 1), for: caller(user: "u0"))
    let denial = try gate.denied(batch(["u1": 80, "u2": 60]))
    #expect(denial.requested == 140)
    let grant = try gate.held(batch(["u1": 40, "u2": 60]))
    try gate.apply(.draw(grant.hold, use(30), for: caller(user: "u2")))
    #expect(try held(gate, "other") == [30, 70])
  }

  @Test("Each user's part is held again after a restart")
  func restored() throws {
    var gate = Turnstile([budget(.tokens(1_000)), perUser])
    let grant = try gate.held(batch(["u1": 80, "u2": 60]))
    let expected = gate.state.expectation(settling: grant.hold, with: use(70), at: gate.now)
    #expect(expected.charges.map(\.tokens) == [70, 40, 30])
    let recorded = RecordedHold(
      bound: grant.bound, estimate: use(70),
      places: expected.charges.map {
        RecordedHold.Place(
          budget: $0.budget, subject: $0.subject, period: $0.period.description,
          window: $0.window, part: $0.part)
      })
    var later = Turnstile([budget(.tokens(1_000)), perUser])
    let again = later.state.restore(recorded, at: later.now)
    #expect(try later.status().heldTokens == 140)
    #expect(try held(later, "u1") == [0, 80])
    try later.apply(.draw(again.hold, use(10), for: caller(user: "u2")))
    #expect(try held(later, "u2") == [10, 50])
  }

  @Test("Replicas lease each user's part")
  func leased() throws {
    var gate = Turnstile([perUser], sharesLimits: true)
    var events: [Event] = []
    let requests = gate.state.leaseRequests(
      for: batch(["u1": 80, "u2": 60]), of: caller(), at: gate.now, events: &events)
    #expect(requests.map(\.wanted.tokens) == [80, 60])
  }
}
