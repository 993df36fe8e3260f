internal import Budgets
internal import JSON
internal import Ledger
internal import Money
internal import Pricing
internal import Time

/// Why a request cost what it cost: its quantities at the prices that were kept with it.
struct CostExplanation {
  let row: UsageRow
  /// The stored prices of the row's version.
  let priceRecord: String?
  let charges: [BudgetCharge]

  var document: Document {
    let tariff = priceRecord.flatMap { try? Tariff(record: $0) }
    let record = UsageRowForm.record(row)
    let costs = CostTable.table(of: tariff?.lines(of: row.usage) ?? [])
    return Document(
      sections: [
        .record(record), .table(costs), .lines(sentences(tariff)), .table(chargeTable),
      ],
      table: costs
    ) { [chargeTable] writer in
      writer.object { object in
        object.members(of: record)
        object.member("file", tariff?.origin.file)
        object.member("explain") { $0.rows(costs) }
        object.member("budgets") { $0.rows(chargeTable) }
      }
    }
  }

  private func sentences(_ tariff: Tariff?) -> [String] {
    guard let tariff else {
      return [
        row.priceVersion == nil
          ? "Nothing was priced, so nothing is charged for."
          : "The prices of this version are not in the ledger, so the cost can't be explained."
      ]
    }
    let origin = tariff.origin
    let rates = tariff.rates
    var lines = [
      "Prices of \(origin.provider)/\(origin.model) in \(origin.file), read \(origin.asOf)"
        + (origin.tier.map { ", tier \($0)" } ?? "")
        + (origin.aboveInputTokens.map { ", above \($0) input tokens" } ?? "") + "."
    ]
    if rates.billing != .usd {
      lines.append(
        "1 USD = \(rates.billingRate.decimalText) \(rates.billing.code); the sum is rounded up "
          + "once in each currency.")
    }
    if row.usageSource == .estimated {
      lines.append("The provider reported no usage: these quantities are an estimate.")
    }
    if let difference = difference(from: tariff) { lines.append(difference) }
    return lines
  }

  /// What the quantities don't explain.
  private func difference(from tariff: Tariff) -> String? {
    let cost = try? tariff.cost(of: row.usage)
    if let cost, cost.nanoUSD.nanoUnits == row.costNanoUSD, cost.billed == row.cost { return nil }
    if row.costNanoUSD == row.heldNanoUSD {
      return
        "Its whole hold was charged: no price fits the usage, or its estimate exceeds the hold."
    }
    let recomputed = cost.map { "\($0.nanoUSD.decimalText) USD" } ?? "no cost"
    return "These quantities make \(recomputed), which is not what is recorded: run catraca audit."
  }

  private var chargeTable: Table {
    var table = Table(
      [
        Table.Column("budget", "Budget charged"), Table.Column("subject", "Subject"),
        Table.Column("period_start", "Since"), Table.Column("tokens", "Tokens"),
        Table.Column("cost", "Cost"), Table.Column("currency", "Currency"),
      ], emptyText: "No budget applied.")
    for charge in charges {
      let account = charge.account
      table.append([
        .text(account.budgetID.description), .text(account.subject),
        .instant(account.windowStart), .integer(charge.tokens),
        .amount(nanoUnits: charge.costNano), .text(account.currency.code),
      ])
    }
    return table
  }
}
