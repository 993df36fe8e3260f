import Budgets
import HTTP
import HTTPServer
import JSON
import Ledger
import Money
import Testing
import Time

@testable import Gateway

@Suite struct BudgetRefusalTests {
  private static let now = Timestamp(rfc3339: "2026-11-22T07:30:00.123Z")!

  /// Makes a budget refuse a request, and tells the refusal.
  private func refusal(
    _ limit: BudgetLimit, used: Consumption, asks demand: Int64, period: BudgetPeriod = .monthly,
    of id: BudgetID = BudgetID(client: "acme", name: "1")
  ) throws -> BudgetRefusal {
    let zone = try #require(TimeZoneRules(identifier: "America/Sao_Paulo"))
    let definition = BudgetDefinition(
      id: id, per: .client, limit: limit, period: period,
      timeZone: zone, enforcement: .hard, alerts: [])
    let rates = try ExchangeRates(
      billing: try #require(Currency("BRL")),
      perDollar: [try #require(Currency("BRL")): try FixedDecimal(decimal: "5.40")])
    var state = try BudgetState([definition], policy: BudgetPolicy(rates: rates))
    let caller = Caller(client: "acme", key: "web", user: "u1", conversation: "", model: "m")
    var events: [Event] = []
    _ = state.record(used, rates: rates, for: caller, at: Self.now, events: &events)
    let admission = state.hold(
      Demand(
        inputTokens: 10, fixedCost: .zero,
        outputTokenCost: ExactAmount(price: .one, per: .million, quantity: 1), choices: 1,
        largestOutput: demand - 10, limitIsExplicit: true, recentOutput: nil,
        estimate: .zero, rates: rates),
      for: caller, at: Self.now, events: &events)
    guard case .denied(let denial) = admission else { throw Unexpected() }
    return BudgetRefusal(
      denial: denial, clientID: "acme",
      requestID: RequestIDSource().next(at: Self.now), now: Self.now)
  }

  private struct Unexpected: Error {}

  private func text(_ refusal: BudgetRefusal) -> String {
    String(decoding: refusal.httpAnswer().body, as: UTF8.self)
  }

  @Test("A limit in tokens is told as operators and apps read it")
  func tokens() throws {
    let refusal = try refusal(
      .tokens(1_000_000), used: Consumption(tokens: 998_120, cost: .zero), asks: 4_210)
    let expected = #"""
      {"error":{"message":"Budget exceeded for client 'acme': 998,120 of 1,000,000 tokens used \#
      this month, and this request may need up to 4,210 more. It resets on \#
      2026-12-01T00:00:00-03:00.","type":"insufficient_quota","param":null,\#
      "code":"budget_exceeded"},"budget":{"id":"acme/1","subject":"client:acme",\#
      "mode":"tokens","unit":"tokens","limit":1000000,"used":998120,"held":0,\#
      "requested":4210,"remaining":1880,"affordable_output_tokens":1870},\#
      "resetDate":"2026-12-01T00:00:00-03:00"}
      """#
    #expect(text(refusal) == expected)
    let fields = refusal.httpAnswer().head.fields
    #expect(fields.first("x-should-retry") == "false")
    #expect(fields.first("x-catraca-denied") == "token_limit")
    // 8 days, 19 hours and 30 minutes to midnight in São Paulo, without 123 ms, rounded up.
    #expect(fields.first("retry-after") == "761400")
  }

  @Test("A budget that all clients share is named, and nobody's client is")
  func common() throws {
    let refusal = try refusal(
      .tokens(1_000), used: Consumption(tokens: 900, cost: .zero), asks: 200,
      of: BudgetID(client: BudgetID.everything, name: "month"))
    let begin = "The budget 'month', which all clients share, is exceeded: 900 of 1,000 tokens used"
    #expect(text(refusal).contains(begin))
  }

  @Test("A limit in money has its currency and nine decimals")
  func money() throws {
    let brl = try #require(Currency("BRL"))
    let refusal = try refusal(
      .cost(Money(nanoUnits: 1_000_000, currency: brl)), used: .zero, asks: 1_010, period: .total)
    let body = text(refusal)
    #expect(body.contains(#""unit":"BRL","limit":"0.001000000","used":"0.000000000""#))
    #expect(body.contains("It never resets."))
    #expect(body.hasSuffix(#""resetDate":null}"#))
    #expect(refusal.httpAnswer().head.fields.first("retry-after") == nil)
    var line = JSONWriter()
    line.object { refusal.writeLogMembers(to: &$0) }
    let expected = #"""
      {"budget":"acme/1","reason":"cost_limit","unit":"BRL","limit":"0.001000000",\#
      "used":"0.000000000","held":"0.000000000","requested":"0.005400000","reset_at":null}
      """#
    #expect(String(decoding: line.bytes, as: UTF8.self) == expected)
  }

  @Test(
    "Digits stand in groups of three",
    arguments: [
      (0, "0"), (999, "999"), (1_000, "1,000"), (998_120, "998,120"), (1_234_567, "1,234,567"),
      (-1_000, "-1,000"), (.min, "-9,223,372,036,854,775,808"),
    ] as [(Int64, String)])
  func groups(number: Int64, expected: String) {
    #expect(number.groupedByThousands == expected)
  }
}
