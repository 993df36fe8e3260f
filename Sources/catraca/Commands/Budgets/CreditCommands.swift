internal import Budgets
internal import Configuration
internal import Ledger
internal import Money
internal import Time

/// `catraca credit add`: gives a client tokens or money beside its plan.
enum CreditAdd {
  private static let client = Parameter(
    "client", ArgumentFormat<String>.name("C"), "whose credit it is", isRequired: true)
  private static let tokens = Parameter(
    "tokens", ArgumentFormat<Int64>.integer(Credit.Amount.tokenCounts), "tokens")
  private static let cost = Parameter("cost", ArgumentFormat<String>.amount, "or money")
  private static let currency = Parameter(
    "currency", ArgumentFormat<Currency>.currency, "of the money")

  static let command = Command(
    "credit add", "gives a client tokens or money, used when its plan is used up",
    options: [client, tokens, cost, currency] + BudgetOptions.common,
    examples: [
      Command.Example(
        line: "credit add --client acme --tokens 20000",
        meaning: "a running server knows it within a second")
    ]
  ) { invocation throws(CommandError) in
    let values = invocation.values
    let owner = try ClientDirectory(invocation).client(try values.required(client))
    let credit = StoredCredit(
      clientID: owner.id, granted: try amount(invocation),
      createdAt: invocation.surroundings.now())
    let editor = try invocation.editor()
    let granted = try invocation.ledger { () throws(LedgerError) in try editor.grant(credit) }
    return CommandOutcome(.record(Record(columns, row(granted))))
  }

  private static func amount(_ invocation: Invocation) throws(CommandError) -> Credit.Amount {
    let values = invocation.values
    switch (values[tokens], values[cost], values[currency]) {
    case (let tokens?, nil, nil): return .tokens(tokens)
    case (nil, let cost?, let currency?):
      let rates = try invocation.settings().rates
      guard rates.rate(of: currency) != nil else {
        let known = rates.currencies.map(\.code).joined(separator: ", ")
        throw .failed("\(currency.code) has no rate in currency.per_usd; allowed: \(known)")
      }
      guard let money = try? Money(decimal: cost, currency: currency), money.nanoUnits > 0 else {
        throw .usage(.contradiction("--cost; allowed: an amount above zero"))
      }
      return .money(money)
    default:
      throw .usage(
        .contradiction("a credit needs one amount; allowed: --tokens, or --cost with --currency"))
    }
  }

  private static let columns = [
    Table.Column("id", "Credit"), Table.Column("client_id", "Client"),
    Table.Column("tokens_granted", "Tokens"), Table.Column("tokens_remaining", nil),
    Table.Column("cost_granted", "Money"), Table.Column("cost_remaining", nil),
    Table.Column("currency", "Currency"), Table.Column("expires_at", nil),
    Table.Column("note", nil), Table.Column("created_at", "Created"),
  ]

  private static func row(_ credit: StoredCredit) -> [Cell] {
    [
      .text(credit.name), .text(credit.clientID), .optional(credit.granted.tokens),
      .optional(credit.remaining.tokens), .optional(credit.granted.money?.decimalText),
      .optional(credit.remaining.money?.decimalText),
      .optional(credit.granted.money?.currency.code), .instant(credit.expiresAt),
      .optional(credit.note), .instant(credit.createdAt),
    ]
  }
}
