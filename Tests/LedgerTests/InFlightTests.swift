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
      "", "{}x", "{}", "[]", #"{"intents":{}}"#, #"{"intents":[[["2026-11-22"]]]}"#,
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
}
