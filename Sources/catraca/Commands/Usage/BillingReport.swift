internal import Billing
internal import Budgets
internal import Configuration
internal import Ledger
internal import Money
internal import Time

/// `catraca billing summary CLIENT`: what a client used and was charged in a period.
enum BillingReport {
  static let client = Parameter(
    "client", ArgumentFormat<String>.name("CLIENT"), "the client's id", isRequired: true)
  static let period = Parameter(
    "period", ArgumentFormat<BillingMonth>.month,
    "the month that the period begins in; else the "
      + "current one")

  static let summary = Command(
    "billing summary", "sums up what a client used and was charged",
    arguments: [client], options: [period] + BudgetOptions.common,
    examples: [
      Command.Example(
        line: "billing summary acme --period 2026-11", meaning: "the period that began then")
    ]
  ) { invocation throws(CommandError) in
    let values = invocation.values
    let client = try ClientDirectory(invocation).client(try values.required(client))
    let month = values[period] ?? currentMonth(of: client, invocation)
    let currency = try invocation.settings().rates.billing
    let reader = try invocation.reader()
    let summary = try invocation.ledger { () throws(LedgerError) in
      try BillingSummary(ofClient: client.id, in: month, currency: currency, reader)
    }
    return CommandOutcome(.record(record(summary)))
  }

  static func currentMonth(of client: Client, _ invocation: Invocation) -> BillingMonth {
    let start = client.planWindow(at: invocation.surroundings.now()).start
    return BillingMonth(containing: client.timeZone.civilDate(of: start))
  }

  /// Programs get the API's integers, people amounts.
  private static func record(_ summary: BillingSummary) -> Record {
    var record = Record()
    func add(_ key: String, _ title: String, _ amount: Int64) {
      record.add(key, nil, .integer(amount))
      let text = Money(minorUnits: amount, currency: summary.currency)?.shortText ?? "\(amount)"
      record.add(nil, title, .text("\(text) \(summary.currency.code)"))
    }
    record.add("period", "Period", .text(summary.period))
    record.add("total_tokens", "Tokens", .integer(summary.totalTokens))
    record.add("current_tier", "Tier", .optional(summary.currentTier))
    add("fixed_fee_charged", "Fixed fee", summary.fixedFeeCharged)
    record.add("tier_charges_count", "Tiers charged", .integer(summary.tierChargesCount))
    add("tier_charges_total", "For tiers", summary.tierChargesTotal)
    add("total_charged", "In all", summary.totalCharged)
    record.add("currency", nil, .text(summary.currency.code))
    return record
  }
}

extension ArgumentFormat<BillingMonth> {
  static var month: ArgumentFormat {
    ArgumentFormat("MONTH", allowed: BillingMonth.rule) { BillingMonth($0) }
  }
}
