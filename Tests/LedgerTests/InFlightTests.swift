import Budgets
import JSON
import Money
import Testing
import Time

@testable import Ledger

@Suite("What in_flight holds")
struct InFlightTests {
  /// Intents as most are, and as few are.
  private static let intents: [SettledRequest] = {
    var several = Sample.intent(3).interrupted
    several.charges.append(
      BudgetCharge(account: Sample.account("acme/ever", windowEnd: nil), tokens: 0, costNano: 9))
    several.row.metadata = nil
    several.row.userID = "\"\u{0}é"
    var uncharged = Sample.intent(1).interrupted
    uncharged.charges = []
    var paid = Sample.intent(4).interrupted
    paid.draws = [CreditDraw(credit: 1, tokens: 70, cost: nil)]
    return [uncharged, Sample.intent(2).interrupted, several, paid].map { intent in
      var intent = intent
      intent.priceRecord = nil
      return intent
    }
  }()

  private func text(_ intents: [SettledRequest]) -> String {
    var writer = JSONWriter()
    writer.intents(intents)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test("Intents are read as they were written, few or many")
  func roundTrip() throws {
    let reader = SettlementReader()
    for count in 0...Self.intents.count {
      let intents = Array(Self.intents.prefix(count))
      #expect(try reader.intents(in: text(intents)) == intents)
    }
  }

  @Test("The names of fields are written once, however many intents there are")
  func namesOnce() {
    let written = text((1...9).map { Sample.intent($0).interrupted })
    for name in ["\"request_id\"", "\"window_start\"", "\"intents\""] {
      #expect(written.ranges(of: name).count == 1, "\(name)")
    }
  }

  @Test("What is missing of an intent is told, and not made up")
  func unreadable() {
    let reader = SettlementReader()
    for text in ["", "{}x", #"{"row":["day"],"charge":[],"intents":[[["2026-11-22"]]]}"#] {
      #expect(throws: LedgerError.self, "\(text)") { try reader.intents(in: text) }
    }
    let cut = text([Self.intents[1]]).replacing("\"request_id\",", with: "")
    #expect(throws: LedgerError.self) { try reader.intents(in: cut) }
  }

  @Test("What is discarded is taken out of its commit's row, and the rest stays")
  func discards() throws {
    let folder = TemporaryFolder()
    let database = try LedgerDatabase(folder.options())
    let reader = try LedgerReader(at: folder.location)
    func open() throws -> [RequestID] { try reader.openIntents().map(\.requestID) }
    try database.commit(
      (1...5).map { Entry.open(interrupted: Sample.intent($0).interrupted) }, denials: [])
    try database.commit([.discard(Sample.id(2)), .discard(Sample.id(4))], denials: [])
    #expect(try open() == [1, 3, 5].map { Sample.id($0) })
    try database.commit([.settle(Sample.settlement(1)), .discard(Sample.id(5))], denials: [])
    #expect(try open() == [Sample.id(3)])
    #expect(try database.recover() == 1)
    #expect(try open().isEmpty)
    #expect(try reader.usageRows(limit: 10).map(\.requestID) == [3, 1].map { Sample.id($0) })
    #expect(try reader.audit() == [])
  }

  @Test("What an earlier release left in flight is settled, or discarded, by this one")
  func earlierRelease() async throws {
    let folder = TemporaryFolder()
    await (try folder.ledger()).close()
    let insert = try folder.connection().prepare("INSERT INTO in_flight (intents) VALUES (?)")
    insert.bind("[\(Self.earlier(1)),\(Self.earlier(2))]", at: 1)
    try insert.run()
    let reader = try LedgerReader(at: folder.location)
    let expected = [1, 2].map { Sample.intent($0).interrupted.row }
    #expect(try reader.openIntents() == expected)

    let killed = try folder.copy()
    let restarted = try killed.ledger()
    #expect(restarted.recoveredRequests == 2)
    await restarted.close()
    let recovered = try LedgerReader(at: killed.location)
    #expect(try recovered.usageRows(limit: 10) == expected.reversed())
    #expect(try recovered.budgetAccounts(liveAt: nil).map(\.tokens) == [100])

    let database = try LedgerDatabase(folder.options())
    try database.commit([.discard(Sample.id(1))], denials: [])
    #expect(try reader.openIntents() == [expected[1]])
  }

  /// `Sample.intent(number)` as releases wrote it whose rows were arrays of objects.
  private static func earlier(_ number: Int) -> String {
    #"""
    {"row":{"request_id":"\#(Sample.id(number))","client_id":"acme","key_name":"web",\#
    "user_id":"u1","source":"openai","model":"gpt-4o-mini","operation":"chat",\#
    "endpoint":"/v1/chat/completions","stream":1,"outcome":"interrupted",\#
    "usage_source":"estimated","prompt_tokens":20,"completion_tokens":30,"total_tokens":50,\#
    "cost_nano_usd":140,"cost_nano":700,"currency":"BRL","price_version":"prices#1",\#
    "held_tokens":500,"held_nano_usd":2000,"metadata":"{\"team\":\"blue\"}",\#
    "created_at":"2026-11-22T07:30:00.123Z","day":"2026-11-22"},"charges":[{\#
    "budget_id":"acme/month","subject":"client:acme","period":"monthly",\#
    "window_start":"2026-11-01T03:00:00.000Z","window_end":"2026-12-01T03:00:00.000Z",\#
    "currency":"BRL","tokens":50,"cost_nano":700}]}
    """#
  }
}
