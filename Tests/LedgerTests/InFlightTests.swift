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

  @Test("What intents have in common is written once, however many there are")
  func commonOnce() {
    let written = text((1...9).map { Sample.intent($0).interrupted })
    for name in ["\"client_id\"", "\"window_start\"", "\"prompt_tokens\"", "\"intents\""] {
      #expect(written.ranges(of: name).count == 1, "\(name)")
    }
    #expect(written.ranges(of: "\"request_id\"").count == 9)
  }

  @Test("An intent may differ from its commit's first in any field, be it to nothing")
  func differences() throws {
    var first = Self.intents[1]
    first.row.heldTokens = 500
    first.row.costNanoUSD = 0
    first.row.conversationID = "thread"
    var second = first
    second.row.requestID = Sample.id(2)
    second.row.heldTokens = 0
    second.row.costNanoUSD = 140
    second.row.conversationID = nil
    second.row.userID = nil
    second.row.metadata = nil
    second.row.priceVersion = nil
    second.charges[0].tokens = 0
    second.charges[0].costNano = .max
    #expect(try SettlementReader().intents(in: text([first, second])) == [first, second])
  }

  @Test("What is missing of an intent is told, and not made up")
  func unreadable() {
    let reader = SettlementReader()
    for text in [
      "", "{}x", #"{"row":["day"],"charge":[],"intents":[[["2026-11-22"]]]}"#,
      #"{"intents":[[{"request_id":"x"},[[1,2]]]]}"#,
    ] {
      #expect(throws: LedgerError.self, "\(text)") { try reader.intents(in: text) }
    }
    let whole = text([Self.intents[1], Self.intents[1]])
    for (part, cut) in [("\"request_id\"", "\"id\""), ("[50,700]", "[50]"), (",[[50,700]]", "")] {
      let text = whole.replacing(part, with: cut)
      #expect(text != whole, "\(part)")
      #expect(throws: LedgerError.self, "\(part)") { try reader.intents(in: text) }
    }
  }

  @Test("What is discarded is taken out of its commit's row, and the rest stays")
  func discards() throws {
    let folder = TemporaryFolder()
    let database = try LedgerDatabase(folder.options())
    let reader = try LedgerReader(at: folder.location)
    func open() throws -> [RequestID] { try reader.openIntents().map(\.requestID) }
    try database.commit(
      (1...5).map { Entry.open(interrupted: Sample.intent($0).interrupted) })
    try database.commit([.discard(Sample.id(2)), .discard(Sample.id(4))])
    #expect(try open() == [1, 3, 5].map { Sample.id($0) })
    try database.commit([.settle(Sample.settlement(1)), .discard(Sample.id(5))])
    #expect(try open() == [Sample.id(3)])
    #expect(try database.recover() == 1)
    #expect(try open().isEmpty)
    #expect(try reader.usageRows(limit: 10).map(\.requestID) == [3, 1].map { Sample.id($0) })
    #expect(try reader.audit() == [])
  }

  @Test(
    "What an earlier release left in flight is settled, or discarded, by this one",
    arguments: [
      "[\(earlier(1)),\(earlier(2))]",
      "{\(earlierNames),\"intents\":[\(earlierValues(1)),\(earlierValues(2))]}",
      "{\(earlierNames),\"intents\":[\(earlierValues(1)),\(earlier(2))]}",
    ])
  func earlierRelease(text: String) async throws {
    let folder = TemporaryFolder()
    await (try folder.ledger()).close()
    let insert = try folder.connection().prepare("INSERT INTO in_flight (intents) VALUES (?)")
    insert.bind(text, at: 1)
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
    try database.commit([.discard(Sample.id(1))])
    #expect(try reader.openIntents() == [expected[1]])
  }

  /// What stood once in a row of releases that wrote an intent as the values of its fields.
  private static let earlierNames = #"""
    "row":["request_id","client_id","key_name","user_id","source","model","operation","endpoint",\#
    "stream","outcome","usage_source","prompt_tokens","completion_tokens","total_tokens",\#
    "cost_nano_usd","cost_nano","currency","price_version","held_tokens","held_nano_usd",\#
    "metadata","created_at","day","overhead_us"],"charge":["budget_id","subject","period",\#
    "window_start","window_end","currency","tokens","cost_nano"]
    """#

  /// `Sample.intent(number)` as such releases wrote it.
  private static func earlierValues(_ number: Int) -> String {
    #"""
    [["\#(Sample.id(number))","acme","web","u1","openai","gpt-4o-mini","chat",\#
    "/v1/chat/completions",1,"interrupted","estimated",20,30,50,140,700,"BRL","prices#1",500,\#
    2000,"{\"team\":\"blue\"}","2026-11-22T07:30:00.123Z","2026-11-22",null],[["acme/month",\#
    "client:acme","monthly","2026-11-01T03:00:00.000Z","2026-12-01T03:00:00.000Z","BRL",50,700]]]
    """#
  }

  /// The same as releases wrote it whose rows were arrays of objects.
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
