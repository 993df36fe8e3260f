import Budgets
import Ledger
import Money
import Pricing
import Time

@testable import catraca

/// Requests in a ledger, priced as the test bench's pricing file says.
enum LedgerFixture {
  static let brl = Currency("BRL")!

  /// Distinct ids in ascending order.
  static func id(_ number: Int) -> RequestID {
    let digits = String(number, radix: 16)
    return RequestID(
      "019aab6e-3c1b-7000-8000-\(String(repeating: "0", count: 12 - digits.count))\(digits)")!
  }

  static func row(
    _ number: Int, client: String = "acme", user: String? = nil, input: Int64 = 100,
    output: Int64 = 10, day: String = "2026-11-22"
  ) -> UsageRow {
    let nanoUSD = input * 150 + output * 600
    let createdAt = Timestamp(rfc3339: "\(day)T12:00:00Z")!
    return UsageRow(
      requestID: id(number), clientID: client, keyName: "web", userID: user, provider: "openai",
      model: "gpt-4o-mini", responseModel: "gpt-4o-mini-2024-07-18", operation: .chat,
      endpoint: "/v1/chat/completions", isStream: true, status: 200, outcome: .ok,
      usageSource: .reported, usage: Usage(inputTokens: input, outputTokens: output)!,
      costNanoUSD: nanoUSD, cost: Money(nanoUnits: (nanoUSD * 54 + 9) / 10, currency: brl),
      priceVersion: version, heldTokens: 500, heldNanoUSD: 300_000, createdAt: createdAt,
      day: CivilDate(day)!)
  }

  static func charges(of row: UsageRow) -> [BudgetCharge] {
    let account = BudgetAccountKey(
      budgetID: BudgetID(client: row.clientID, name: "month"), subject: "client:\(row.clientID)",
      period: "monthly", windowStart: Timestamp(rfc3339: "2026-11-01T03:00:00Z")!,
      windowEnd: Timestamp(rfc3339: "2126-12-01T03:00:00Z"), currency: brl)
    return [
      BudgetCharge(account: account, tokens: row.usage.totalTokens, costNano: row.cost.nanoUnits)
    ]
  }

  static func denial(_ number: Int, reason: DenialReason = .tokenLimit) -> DenialRow {
    DenialRow(
      requestID: id(number), clientID: "acme", keyName: "web", userID: nil, operation: .chat,
      model: "gpt-4o-mini", budgetID: "acme/month", reason: reason, limitValue: 1_000_000,
      used: 998_120, held: 0, requested: 4_210,
      resetAt: Timestamp(rfc3339: "2026-12-01T03:00:00Z"),
      createdAt: Timestamp(rfc3339: "2026-11-22T11:30:00Z")!)
  }

  static func budget() -> BudgetDefinition {
    BudgetDefinition(
      id: BudgetID(client: "acme", name: "month"), per: .client,
      limit: .both(tokens: 200, cost: Money(nanoUnits: 1_000_000_000, currency: brl)),
      period: .monthly, timeZone: .utc, enforcement: .hard, alerts: [])
  }

  private static let tariff: Tariff = {
    let file = ProviderPrices(
      provider: "openai", source: "https://example.com/prices",
      asOf: CivilDate("2026-11-01")!, file: "prices.yaml",
      models: [
        ModelDeclaration(
          name: "gpt-4o-mini", operation: .chat,
          prices: [
            DatedPrices(
              base: SteppedPrices(
                PriceTable([
                  .input: try! FixedDecimal(decimal: "0.15"),
                  .output: try! FixedDecimal(decimal: "0.60"),
                ])))
          ])
      ])
    let rates = try! ExchangeRates(
      billing: brl, perDollar: [brl: try! FixedDecimal(decimal: "5.40")])
    let book = try! PriceBook(providers: [file], rates: rates)
    return try! book.model("gpt-4o-mini")!.tariff(
      in: PricingContext(instant: TestBench.now), inputTokens: 0)
  }()

  private static var version: String { tariff.version }
  static var record: String { tariff.record }
}

extension TestBench {
  /// Serves for a moment: writes these rows and refusals.
  func record(
    _ rows: [UsageRow], denials: [DenialRow] = [], budgets: [BudgetDefinition] = []
  ) async throws {
    let ledger = try ServerLedger(ServerLedger.Options(.sqlite(path: ledgerPath)))
    try await ledger.syncBudgets(budgets, at: TestBench.now)
    for row in rows {
      try await ledger.settle(
        .init(
          row: row, charges: LedgerFixture.charges(of: row), priceRecord: LedgerFixture.record))
    }
    for denial in denials { ledger.record(denial) }
    await ledger.close()
  }
}
