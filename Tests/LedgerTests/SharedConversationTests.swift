import Pricing
import Testing
import Time

@testable import Budgets
@testable import Ledger

/// A plan's number of conversations that several replicas share, each as its writer sees it.
@Suite("Replicas that share a number of conversations")
struct SharedConversationTests {
  private let folder = TemporaryFolder()
  private let membership = (Membership(name: "one"), Membership(name: "two"))
  private let window = BudgetWindow(
    start: Timestamp(rfc3339: "2026-11-01T03:00:00Z")!,
    end: Timestamp(rfc3339: "2026-12-01T03:00:00Z")!)

  private func replica(_ membership: Membership) throws -> LedgerDatabase {
    var options = folder.options()
    options.busyTimeoutMilliseconds = 10_000
    return try LedgerDatabase(options, membership: membership)
  }

  private func replicas() throws -> (one: LedgerDatabase, two: LedgerDatabase) {
    (try replica(membership.0), try replica(membership.1))
  }

  private func key(_ conversation: String, in window: BudgetWindow? = nil) -> ConversationKey {
    ConversationKey(
      client: "acme", windowStart: (window ?? self.window).start, conversation: conversation)
  }

  private func ask(
    _ conversation: String, of limit: Int64 = 2, number: Int64 = 1,
    in window: BudgetWindow? = nil, on database: LedgerDatabase
  ) throws -> ConversationAnswer {
    let window = window ?? self.window
    let request = ConversationRequest(
      key(conversation, in: window), windowEnd: window.end, limit: limit, number: number,
      askedAt: window.start)
    let outcomes = try database.lease([LeaseOrder(conversations: [request]) { _ in }])
    return try #require(outcomes.first?.conversations.first)
  }

  private func giveBack(
    _ conversation: String, number: Int64 = 1, on database: LedgerDatabase
  ) throws {
    let back = ConversationReturn(of: key(conversation), number: number)
    _ = try database.lease([LeaseOrder(conversationReturns: [back]) { _ in }])
  }

  private func settlement(_ number: Int, of conversation: String?) -> Entry {
    .settle(Sample.settlement(number, conversation: conversation))
  }

  private func intent(_ number: Int, of conversation: String) -> Intent {
    var intent = Sample.intent(number)
    intent.interrupted.row.conversationID = conversation
    return intent
  }

  private func count(_ condition: String = "1 = 1") throws -> Int64? {
    try folder.connection()
      .prepare("SELECT count(*) FROM conversation_permits WHERE \(condition)").firstInteger()
  }

  private func expectSound() throws {
    #expect(try LedgerReader(at: folder.location).audit() == [])
  }

  @Test("No more are permitted than may begin; one conversation at several replicas counts once")
  func permitsWithinLimit() throws {
    let (one, two) = try replicas()
    #expect(try ask("a", on: one).permission == .permitted)
    #expect(try ask("a", on: two).permission == .permitted)
    let last = try ask("b", on: two)
    #expect(last.permission == .permitted && (last.begun, last.permitted) == (0, 2))
    for database in [one, two] {
      let refused = try ask("c", on: database)
      #expect(refused.permission == .refused && (refused.begun, refused.permitted) == (0, 2))
    }
    #expect(try ask("c", of: 3, on: one).permission == .permitted, "another limit")
  }

  @Test("Orders in one transaction get their own answers, after what is given back")
  func answersInOrder() throws {
    let (one, _) = try replicas()
    _ = try ask("a", of: 1, on: one)
    let requests = ["b", "c", "b"].map {
      ConversationRequest(
        key($0), windowEnd: window.end, limit: 1, number: 7, askedAt: window.start)
    }
    let back = ConversationReturn(of: key("a"), number: 1)
    let outcomes = try one.lease([
      LeaseOrder(conversations: Array(requests[..<1])) { _ in },
      LeaseOrder { _ in },
      LeaseOrder(conversations: Array(requests[1...]), conversationReturns: [back]) { _ in },
    ])
    #expect(
      outcomes.map { $0.conversations.map(\.permission) }
        == [[.permitted], [], [.refused, .permitted]])
    #expect(outcomes[2].conversations.map(\.request) == Array(requests[1...]))
  }

  @Test("With its first row a permitted conversation has begun, for all, and keeps its place")
  func begins() throws {
    let (one, two) = try replicas()
    _ = try ask("a", of: 1, on: one)
    try one.commit([settlement(1, of: "a")])
    #expect(try count("replica_id = ''") == 1)
    #expect(try count() == 1, "the permit is used")
    try giveBack("a", on: one)
    let again = try ask("a", of: 1, on: two)
    #expect(again.permission == .begun && (again.begun, again.permitted) == (1, 0))
    #expect(try ask("b", of: 1, on: two).permission == .refused)
    try expectSound()
  }

  @Test("A period is counted from its rows when it is first asked for, and whatever is reported")
  func countsFromRows() throws {
    let (one, two) = try replicas()
    try one.commit(
      [settlement(1, of: "a"), settlement(2, of: "a"), settlement(3, of: nil)])
    #expect(try ask("b", on: two).begun == 1)
    var reported = Sample.settlement(4, conversation: "c")
    reported.row.usageSource = .external
    try one.commit([.settle(reported)])
    let answer = try ask("d", of: 3, on: two)
    #expect(answer.permission == .refused && (answer.begun, answer.permitted) == (2, 1))
    try expectSound()
  }

  @Test("What is given back can be permitted to another; what was given anew meanwhile stays")
  func givesBack() throws {
    let (one, two) = try replicas()
    _ = try ask("a", of: 1, number: 1, on: one)
    _ = try ask("a", of: 1, number: 2, on: one)
    try giveBack("a", number: 1, on: one)
    #expect(try ask("b", of: 1, on: two).permission == .refused)
    try giveBack("a", number: 2, on: two)
    #expect(try ask("b", of: 1, on: two).permission == .refused, "it is the other's")
    try giveBack("a", number: 2, on: one)
    #expect(try ask("b", of: 1, on: two).permission == .permitted)
  }

  @Test("Of the dead, permits are given back, and what they have forwarded has begun")
  func endsTheDead() throws {
    let (one, two) = try replicas()
    for name in ["a", "b", "c"] { _ = try ask(name, of: 3, on: one) }
    try one.commit([.open(interrupted: intent(1, of: "a").interrupted)])
    #expect(try ask("d", of: 3, on: two).permission == .refused)
    let update = try folder.connection().prepare(
      "UPDATE replicas SET heartbeat_ms = heartbeat_ms - 60000 WHERE id = ?")
    update.bind(membership.0.id.text, at: 1)
    try update.run()
    _ = try two.takeOver(membership.0.id)
    #expect(try ask("a", of: 3, on: two).permission == .begun)
    let answer = try ask("d", of: 3, on: two)
    #expect(answer.permission == .permitted && (answer.begun, answer.permitted) == (1, 1))
    try expectSound()

    // Its request never reached a provider: then nothing has begun.
    #expect(throws: LedgerError.takenForDead) { try ask("b", on: one) }
    try one.rejoin()
    try one.commit([.discard(Sample.id(1))])
    #expect(try count("replica_id = ''") == 0)
    #expect(try ask("e", of: 3, on: one).permission == .permitted)
  }

  @Test("A replica that leaves gives all back that hasn't begun")
  func leaves() throws {
    let (one, _) = try replicas()
    for name in ["a", "b"] { _ = try ask(name, on: one) }
    try one.commit([settlement(1, of: "a")])
    try one.leave()
    #expect(try count() == 1)
    #expect(try count("replica_id = ''") == 1)
  }

  @Test("A deferred request has begun its conversation before its row is there")
  func defers() throws {
    let (one, two) = try replicas()
    _ = try ask("a", of: 1, on: one)
    let intent = intent(1, of: "a")
    let deferred = DeferredRequest(
      .response, objectID: "obj_1", intent: intent, pricedModel: "gpt-4o-mini", serviceTier: nil,
      imageModel: nil)
    try one.commit([.open(interrupted: intent.interrupted), .deferral(deferred)])
    try one.leave()
    #expect(try ask("b", of: 1, on: two).permission == .refused)
  }

  @Test("Periods that are over are forgotten with the next but one")
  func forgets() throws {
    let (one, _) = try replicas()
    for month in ["2026-09", "2026-10", "2026-11"] {
      let start = try #require(Timestamp(rfc3339: "\(month)-01T00:00:00Z"))
      let window = BudgetWindow(start: start, end: start.advanced(by: .seconds(29 * 86_400)))
      _ = try ask("a", in: window, on: one)
    }
    #expect(try count() == 1)
    let windows = try folder.connection().prepare("SELECT count(*) FROM conversation_windows")
    #expect(try windows.firstInteger() == 1)
  }

  @Test("A conversation that has a row and isn't counted is named")
  func audited() throws {
    let (one, _) = try replicas()
    _ = try ask("a", on: one)
    try one.commit([settlement(1, of: "a")])
    try folder.connection().execute("DELETE FROM conversation_permits")
    let found = try LedgerReader(at: folder.location).audit()
    #expect(found.map(\.subject) == ["acme a"])
    #expect(found.map(\.check) == [.conversation])
  }
}
