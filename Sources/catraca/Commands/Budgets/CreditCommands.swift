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
  private static let cost = Parameter("cost", ArgumentFormat<Int64>.amount, "or money")
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
    let rates = try invocation.settings().rates
    do throws(FieldMistake) {
      return try Credit.Amount(
        tokens: values[tokens], cost: values[cost], currency: values[currency], rates)
    } catch {
      throw CommandError(error)
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
