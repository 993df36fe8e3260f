internal import Budgets
internal import JSON
internal import Ledger
internal import Money
internal import Pricing
internal import Time

/// Why a request cost what it cost: its quantities at the prices that were kept with it. Where the
/// client has prices of its own or a markup, also what the provider charges.
struct CostExplanation {
  let entry: LogEntry<UsageRow>
  /// The stored prices of the row's version.
  let priceRecord: String?
  let charges: [BudgetCharge]

  private var row: UsageRow { entry.content }

  var document: Document {
    let bill = priceRecord.flatMap { try? Bill(record: $0, of: row.usage) }
    let record = UsageRowJSON.record(row)
    let costs = CostTable.table(of: bill?.lines ?? [])
    let ofProvider = CostTable.table(of: bill?.providerLines ?? [], costTitle: "Provider USD")
    return Document(
      sections: [.record(record)] + providerSections(bill, ofProvider)
        + [.table(costs), .lines(sentences(bill)), .table(chargeTable)],
      table: costs
    ) { [entry, chargeTable] writer in
      writer.object { object in
        object.member("id", entry.id)
        object.members(of: record)
        object.member("price_file", bill?.items.first?.tariff.origin.file)
        object.member("explain") { $0.rows(costs) }
        object.member("explain_provider") { $0.rows(ofProvider) }
        object.member("markup", bill?.markup.description)
        object.member("budgets") { $0.rows(chargeTable) }
      }
    }
  }

  /// The provider's charge, if it differs from the client's charge.
  private func providerSections(_ bill: Bill?, _ table: Table) -> [Document.Section] {
    guard let bill, !bill.chargesAsTheProvider else { return [] }
    let cost = Money(nanoUnits: row.providerCostNanoUSD, currency: .usd).decimalText
    let own = bill.items.contains { $0.tariff.origin.overrideLabel != nil }
    let reasons =
      (own ? ["its own prices"] : ["these prices"])
      + (bill.markup == .none ? [] : ["a markup of \(bill.markup)"])
    return [
      .lines(["What the provider charges, by the book:"]), .table(table),
      .lines([
        "The provider's cost is \(cost) USD, rounded up once.", "",
        "What the client is charged, by \(reasons.joined(separator: " and ")):",
      ]),
    ]
  }

  private func sentences(_ bill: Bill?) -> [String] {
    guard let bill, let rates = bill.items.first?.tariff.rates else {
      return [
        row.priceVersion == nil
          ? "Nothing was priced, so nothing is charged for."
          : "The prices of this version are not in the ledger, so the cost can't be explained."
      ]
    }
    var lines: [String] = []
    for item in bill.items {
      let line = CostExplanation.sentence(about: item.tariff.origin)
      if !lines.contains(line) { lines.append(line) }
    }
    if rates.billing != .usd {
      lines.append(
        "1 USD = \(rates.billingRate.decimalText) \(rates.billing.code); the sum is rounded up "
          + "once in each currency.")
    }
    if row.usageSource == .estimated {
      lines.append(
        isChargedItsHold
          ? "The provider's answer couldn't be read, or said nothing that an estimate below the "
            + "hold could be made of: all that was held is charged."
          : "The provider reported no usage: these quantities are an estimate.")
    }
    if let difference = difference(from: bill) { lines.append(difference) }
    return lines
  }

  /// Whether all tokens and all money that were held are charged.
  private var isChargedItsHold: Bool {
    row.costNanoUSD == row.heldNanoUSD && row.usage.totalTokens == row.heldTokens
  }

  private static func sentence(about origin: PriceOrigin) -> String {
    "Prices of \(origin.provider)/\(origin.model) in \(origin.file), read \(origin.asOf)"
      + (origin.tier.map { ", tier \($0)" } ?? "")
      + (origin.completionWindow.map { ", completion window \($0)" } ?? "")
      + (origin.aboveInputTokens.map { ", above \($0) input tokens" } ?? "")
      + (origin.priceFactor == .one ? "" : ", tokens multiplied by \(origin.priceFactor)")
      + (origin.overrideLabel.map { ", and the client's own (\($0))" } ?? "") + "."
  }

  /// The part of the cost that the quantities don't explain.
  private func difference(from bill: Bill) -> String? {
    let cost = try? bill.cost()
    if let cost, cost.nanoUSD.nanoUnits == row.costNanoUSD, cost.billed == row.cost {
      return differenceOfProvider(from: cost)
    }
    if row.costNanoUSD == row.heldNanoUSD {
      return
        "Its whole hold was charged: no price fits the usage, its estimate exceeds the hold, or "
        + "nobody could learn what it used."
    }
    let recomputed = cost.map { "\($0.nanoUSD.decimalText) USD" } ?? "no cost"
    return "These quantities make \(recomputed), which is not what is recorded: run catraca audit."
  }

  private func differenceOfProvider(from cost: Cost) -> String? {
    guard cost.provider.nanoUnits != row.providerCostNanoUSD else { return nil }
    return "These quantities cost \(cost.provider.decimalText) USD at the provider, which is not "
      + "what is recorded: run catraca audit."
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

/// A cost, quantity by quantity: amount × price.
enum CostTable {
  /// - Parameter costTitle: The title of the last column.
  static func table(of lines: [CostLine], costTitle: String = "Cost USD") -> Table {
    var table = Table(
      [
        Table.Column("quantity", "Quantity"), Table.Column("amount", "Amount"),
        Table.Column(nil, "Price USD"), Table.Column(nil, "for"),
        Table.Column("unit_price_usd", nil), Table.Column("cost_usd", costTitle),
      ], emptyText: "Nothing is charged for.")
    for line in lines {
      let name = line.quantity.name
      table.append([
        .text(line.isUnpriced ? "\(name) (no price of its own)" : name), .integer(line.amount),
        .decimal(line.priceText), .text(basisName(of: line.quantity)),
        .decimal(line.unitPrice.decimalText), .decimal(line.cost.decimalText),
      ])
    }
    return table
  }

  private static func basisName(of quantity: PricedQuantity) -> String {
    switch quantity.basis {
    case .million: "a million"
    case .minute: "a minute"
    case .second: "a second"
    case .one: "one"
    }
  }
}
