import Configuration
import Money
import Testing
import Time

@testable import Alerts
@testable import Budgets
@testable import Ledger

/// The threshold of a budget in tokens, unless told otherwise.
private func threshold(
  percent: Int = 80, budget: BudgetID = BudgetID(client: "acme", name: "1"),
  subject: String = "client:acme", unit: CountedUnit = .tokens, limit: Int64 = 1_000_000,
  end: Timestamp? = Timestamp(rfc3339: "2026-12-01T03:00:00Z")
) -> Alert {
  Alert(
    Threshold(
      budget: budget, subject: Subject(text: subject)!,
      window: BudgetWindow(start: Timestamp(rfc3339: "2026-11-01T03:00:00Z")!, end: end),
      percent: percent, unit: unit, limit: limit, used: 810_000,
      reachedAt: Timestamp(rfc3339: "2026-11-22T07:30:00.123Z")!))
}

private let acme = Client(
  id: "acme", name: "ACME Corp", timeZone: TimeZoneRules(identifier: "America/Sao_Paulo")!)

@Suite struct AlertTextTests {
  @Test(
    "The sentence says who, how much, of what, and until when",
    arguments: [
      (threshold(), "ACME Corp: 80 % of 1,000,000 tokens used (acme/1), resets 2026-12-01"),
      (threshold(end: nil), "ACME Corp: 80 % of 1,000,000 tokens used (acme/1)"),
      (
        threshold(subject: "user:u1"),
        "ACME Corp: 80 % of 1,000,000 tokens used (acme/1, user:u1), resets 2026-12-01"
      ),
      (
        threshold(unit: .nanoUnits(Currency("BRL")!), limit: 1_500_000_000_000),
        "ACME Corp: 80 % of BRL 1,500.00 used (acme/1), resets 2026-12-01"
      ),
      (
        threshold(unit: .nanoUnits(.usd), limit: 1_000_000),
        "ACME Corp: 80 % of USD 0.001 used (acme/1), resets 2026-12-01"
      ),
    ])
  func sentences(_ alert: Alert, expected: String) {
    #expect(AlertSentence(alert: alert, client: acme).description == expected)
  }

  @Test(
    "A name that an app made up is cut, and can't steer what shows it",
    arguments: [
      ("u1", "u1"), ("ana@example.com", "ana@example.com"), ("São João 🙂", "São João 🙂"),
      ("a\r\nBcc: x@example.com", "a\\r\\nBcc: x@example.com"),
      ("\u{1B}[2J", "\\u{1B}[2J"), ("a\u{202E}b\u{2028}", "a\\u{202E}b\\u{2028}"),
      (String(repeating: "a", count: 64), String(repeating: "a", count: 64)),
      (String(repeating: "a", count: 100_000), String(repeating: "a", count: 63) + "…"),
      (String(repeating: "\u{7F}", count: 64), String(repeating: "\\u{7F}", count: 10) + "\\u{…"),
      (
        "a" + String(repeating: "\u{301}", count: 1_000),
        "a" + String(repeating: "\u{301}", count: 62) + "…"
      ),
    ])
  func appNames(_ name: String, expected: String) {
    #expect(AlertName(name).description == expected)
    let sentence = AlertSentence(
      alert: threshold(subject: "user:\(name.prefix(50))", end: nil), client: nil)
    #expect(!sentence.description.contains { $0.isNewline || $0 == "\u{1B}" })
    let client = Client(id: "acme", name: name)
    #expect(AlertSentence(alert: threshold(end: nil), client: client).name == expected)
  }

  @Test("Many alerts are told in one sentence, which names a few of each kind")
  func gathered() {
    func recorded(_ number: Int64, _ alert: Alert) -> RecordedAlert {
      RecordedAlert(number: number, id: "id-\(number)", alert: alert)
    }
    var refused = threshold(subject: "user:u0", end: nil)
    refused.kind = .exceeded
    let lead = recorded(0, refused)
    let named =
      [lead] + (1...4).map { recorded($0, threshold(subject: "user:u\($0)", end: nil)) }
    let alerts = GatheredAlerts(
      lead: lead, kinds: [.init(percent: nil, count: 1), .init(percent: 80, count: 1_200)],
      named: named)
    let text = AlertText(alerts, of: acme, budget: Array(#"{"id":"acme/1"}"#.utf8))
    let sentence =
      "ACME Corp: 1,201 alerts of acme/1: 1 × budget exceeded (user:u0), "
      + "1,200 × 80 % used (user:u1, user:u2, user:u3, …)"
    #expect(text.sentence == sentence)
    #expect(
      text.body.hasPrefix(
        """
        {"id":"id-0","type":"budget.exceeded","created_at":"2026-11-22T07:30:00.123Z",\
        "text":"\(sentence)","client_id":"acme","threshold":null,"budget":{"id":"acme/1"},\
        "gathered":{"count":1201,"alerts":[{"id":"id-0","type":"budget.exceeded",\
        "threshold":null,"subject":"user:u0"},{"id":"id-1","type":"budget.threshold",\
        "threshold":80,"subject":"user:u1"},
        """))
    #expect(text.body.hasSuffix(#"],"more":1196}}"#))
  }

  @Test("A missing price is told with what becomes of requests, one by one and together")
  func missingPrices() {
    func recorded(_ number: Int64, _ subject: String, of budget: BudgetID) -> RecordedAlert {
      var alert = threshold(budget: budget, end: nil)
      alert.kind = .priceMissing
      alert.subject = subject
      return RecordedAlert(number: number, id: "id-\(number)", alert: alert)
    }
    let one = recorded(1, "cached_input of openai/gpt-4o", of: .missingPrices)
    #expect(
      AlertText(one, of: nil, budget: nil).body.contains(
        """
        "type":"price.missing","created_at":"2026-11-22T07:30:00.123Z","text":"A price is \
        missing: cached_input of openai/gpt-4o (charged otherwise); see catraca prices missing",\
        "client_id":"*","threshold":null,"budget":null}
        """))
    let named = (1...5).map { recorded($0, "openai/<\($0)>", of: .refusedPrices) }
    let together = GatheredAlerts(
      lead: named[0], kinds: [.init(percent: nil, count: 5)], named: named)
    #expect(
      AlertText(together, of: nil, budget: nil).sentence
        == "5 prices are missing: openai/<1>, openai/<2>, openai/<3>, … (refused); "
        + "see catraca prices missing")
  }

  @Test("A budget over everything, and a client that is gone, have names too")
  func names() {
    let everything = threshold(
      budget: BudgetID(client: "*", name: "all"), subject: "client:*", end: nil)
    #expect(
      AlertSentence(alert: everything, client: nil).description
        == "All clients: 80 % of 1,000,000 tokens used (*/all)")
    #expect("\(AlertSentence(alert: threshold(end: nil), client: nil))".hasPrefix("acme: 80 %"))
  }

  @Test("The body has the fields of the API, with the budget as it was handed in")
  func body() {
    let recorded = RecordedAlert(number: 7, id: "id-1", alert: threshold(end: nil))
    let text = AlertText(recorded, of: acme, budget: Array(#"{"id":"acme/1"}"#.utf8))
    #expect(
      text.body == """
        {"id":"id-1","type":"budget.threshold","created_at":"2026-11-22T07:30:00.123Z",\
        "text":"ACME Corp: 80 % of 1,000,000 tokens used (acme/1)","client_id":"acme",\
        "threshold":80,"budget":{"id":"acme/1"}}
        """)
    let test = AlertText(testWithID: "id-2", at: Timestamp(milliseconds: 0))
    #expect(test.body.contains(#""type":"test""#) && test.body.hasSuffix(#""budget":null}"#))
  }
}
