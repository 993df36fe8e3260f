import Budgets
import Glibc
import Ledger
import Money
import Objects
import Pricing
import Time

/// A folder of its own, for the files that aren't on the simulated disk; gone with the last
/// reference.
final class TemporaryFolder {
  let path: String

  init() {
    // In memory where there is room: nothing is learnt from how slow a real disk is.
    let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(parent)/catraca-simulation-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
  }

  deinit {
    for name in ["catraca.db", "catraca.db.lock", "catraca.db.spool"] { unlink("\(path)/\(name)") }
    rmdir(path)
  }
}

extension World {
  static let policy = BudgetPolicy(rates: .usdOnly, admissionQueue: 4)

  /// Far more than a life needs; a start sets the room aside, of which a life has many.
  static let largestSpoolBytes = 1 << 20

  /// Hours before clocks change, and before a year does.
  static let beginnings = [
    "2026-10-25T00:00:00Z", "2026-03-28T22:00:00Z", "2010-11-07T01:00:00Z",
    "2018-11-04T01:00:00Z", "2026-12-31T20:00:00Z", "2028-02-28T22:00:00Z",
  ].compactMap { Timestamp(rfc3339: $0) }

  static func definitions() -> [BudgetDefinition] {
    func budget(
      _ client: String, _ name: String, _ per: BudgetDefinition.Per, _ limit: BudgetLimit,
      _ period: BudgetPeriod, _ zone: String,
      _ enforcement: BudgetDefinition.Enforcement = .hard
    ) -> BudgetDefinition {
      BudgetDefinition(
        id: BudgetID(client: client, name: name), per: per, limit: limit, period: period,
        timeZone: TimeZoneRules(identifier: zone)!, enforcement: enforcement, alerts: [80, 100])
    }
    let money = Money(nanoUnits: 12_000, currency: .usd)
    return [
      budget("acme", "day", .client, .tokens(4_000), .daily, "Europe/Berlin"),
      budget("acme", "user", .user, .tokens(3_000), .daily, "America/St_Johns"),
      budget("acme", "week", .client, .cost(money), .weekly, "America/Sao_Paulo"),
      budget("globex", "month", .client, .tokens(9_000), .monthly, "Australia/Lord_Howe"),
      budget("globex", "soft", .client, .tokens(2_000), .daily, "UTC", .soft),
      budget("*", "all", .client, .both(tokens: 6_000, cost: money), .daily, "UTC"),
      budget("*", "watch", .user, .tokens(500), .total, "UTC", .shadow),
    ]
  }

  // MARK: - Money

  static func dollars(nano: Int64) -> ExactAmount {
    ExactAmount(units: Int128(nano) * 30_000_000_000_000)
  }

  /// An input token costs the price in nano-dollars, an output token four times as much.
  static func cost(of usage: Usage, price: Int64) -> Int64 {
    price * (usage.inputTokens + 4 * usage.outputTokens)
  }

  static func consumption(of usage: Usage, price: Int64) -> Consumption {
    Consumption(tokens: usage.totalTokens, cost: dollars(nano: cost(of: usage, price: price)))
  }

  /// A price record is its price in figures, as JSON.
  static func recompute(
    _ record: String, _ usage: Usage
  ) -> (nanoUSD: Int64, nano: Int64, providerNanoUSD: Int64)? {
    Int64(record).map { price in
      let nano = cost(of: usage, price: price)
      return (nano, nano, nano)
    }
  }

  // MARK: - Records

  static func intent(
    _ id: RequestID, of caller: Caller, _ grant: Grant, usage: Usage, price: Int64,
    charges: [Charge], at now: Timestamp
  ) -> Intent {
    let nano = cost(of: usage, price: price)
    return Intent(
      requestID: id, clientID: caller.client, keyName: caller.key, userID: caller.user,
      provider: "openai", model: caller.model, operation: .chat, endpoint: "/v1/chat/completions",
      isStream: false, heldTokens: grant.bound.tokens,
      heldNanoUSD: grant.bound.cost.roundedUp(in: .usd, rate: .one)!.nanoUnits,
      estimate: Intent.Estimate(
        usage: usage, costNanoUSD: nano, cost: Money(nanoUnits: nano, currency: .usd),
        priceVersion: "p\(price)", priceRecord: "\(price)",
        charges: charges.map { BudgetCharge($0) }),
      createdAt: now, day: TimeZoneRules.utc.civilDate(of: now))
  }

  static func settled(
    _ intent: Intent, as outcome: Outcome, _ usage: Usage, _ price: Int64,
    _ settlement: Settlement
  ) -> SettledRequest {
    var row = intent.interrupted.row
    row.status = 200
    row.outcome = outcome
    row.usageSource = outcome == .ok ? .reported : .estimated
    row.usage = usage
    row.costNanoUSD = cost(of: usage, price: price)
    row.providerCostNanoUSD = row.costNanoUSD
    row.cost = Money(nanoUnits: row.costNanoUSD, currency: .usd)
    return SettledRequest(
      row: row, charges: settlement.charges.map { BudgetCharge($0) }, priceRecord: "\(price)",
      objects: objects(shownBy: row))
  }

  /// The objects in the provider's answer: a response, and for every other request an item, too. An
  /// answer that nobody got shows nothing.
  static func objects(shownBy row: UsageRow) -> [ProviderObject] {
    guard row.outcome != .interrupted else { return [] }
    let kinds: [ObjectKind] = row.usage.inputTokens % 2 == 0 ? [.response] : [.item, .response]
    return kinds.map { kind in
      ProviderObject(
        provider: row.provider, objectID: "\(kind.rawValue)-\(row.requestID)", kind: kind,
        owner: .client(row.clientID), keyName: row.keyName, createdAt: row.createdAt)
    }
  }
}
