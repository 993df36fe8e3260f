internal import Budgets
internal import Configuration
internal import Ledger
internal import Money
internal import Time

/// `catraca budget set`: makes a budget, or replaces it.
enum BudgetSet {
  private static let client = Parameter(
    "client", ArgumentFormat<String>.name("C"), "whose budget it is", isRequired: true)
  private static let name = Parameter(
    "name", ArgumentFormat<String>.name("N"), "its name; else the first of b1, b2, … that is free")
  private static let per = Parameter(
    "per", ArgumentFormat<BudgetDefinition.Per>.choice("P"), "whose use is counted together",
    default: "client")
  private static let currency = Parameter(
    "currency", ArgumentFormat<Currency>.currency, "of the cost; else the billing currency")
  private static let period = Parameter(
    "period", ArgumentFormat<BudgetPeriod>.budgetPeriod, "when it starts again",
    default: "monthly")
  private static let enforcement = Parameter(
    "enforcement", ArgumentFormat<BudgetDefinition.Enforcement>.choice("E"),
    "hard, soft, or shadow, which only watches", default: "hard")
  private static let alerts = Parameter(
    "alerts", ArgumentFormat<AlertThresholds>.alertThresholds,
    "percentages at which an alert is raised, ascending",
    default: AlertThresholds.usual.text(separator: ","))

  static let command = Command(
    "budget set", "makes a budget, or replaces the one of that name",
    options: [
      client, name, per, BudgetOptions.tokens, BudgetOptions.cost, currency, period, enforcement,
      alerts,
    ] + BudgetOptions.common,
    examples: [
      Command.Example(
        line: "budget set --client acme --name month --tokens 1000000 --cost 500.00",
        meaning: "a running server holds to it within a second")
    ]
  ) { invocation throws(CommandError) in
    let values = invocation.values
    let directory = try ClientDirectory(invocation)
    let owner = try directory.client(try values.required(client))
    let name = values[name]
    let terms = try terms(invocation)
    var budget = StoredBudget(
      id: try id(name ?? "", of: owner.id, in: directory), per: terms.per, limit: terms.limit,
      period: terms.period.description, enforcement: terms.enforcement, alerts: terms.alerts,
      createdAt: invocation.surroundings.now())
    let editor = try invocation.editor()
    let known = Set(directory.registry.budgets.map(\.id))
    budget.id = try invocation.ledger { () throws(LedgerError) in
      if name == nil { return try insert(budget, besides: known, editor) }
      _ = try editor.replace(budget)
      return budget.id
    }
    return CommandOutcome(try BudgetReport.one(budget.id, invocation))
  }

  private static func terms(_ invocation: Invocation) throws(CommandError) -> BudgetTerms {
    let values = invocation.values
    var draft = BudgetDraft()
    draft.per = values[per]
    draft.tokens = values[BudgetOptions.tokens]
    draft.cost = values[BudgetOptions.cost]
    draft.currency = values[currency]
    draft.period = values[period]
    draft.enforcement = values[enforcement]
    draft.alerts = values[alerts]
    let rates = try invocation.settings().rates
    do throws(FieldMistake) {
      return try draft.terms(rates)
    } catch {
      throw CommandError(error)
    }
  }

  private static func id(
    _ name: String, of client: String, in directory: ClientDirectory
  ) throws(CommandError) -> BudgetID {
    let id = BudgetID(client: client, name: name)
    if let line = directory.declared.line(of: id) {
      throw .failed("budget \(id) is declared in clients.yaml:\(line); allowed: editing that file")
    }
    guard !id.isPlan else { throw .failed("plan is the plan's own; allowed: another name") }
    return id
  }

  /// Makes a budget under the first name of `b1`, `b2`, … that is free.
  ///
  /// - Returns: The budget's id. Names that other commands or calls take meanwhile are passed over.
  private static func insert(
    _ budget: StoredBudget, besides known: Set<BudgetID>, _ editor: LedgerEditor
  ) throws(LedgerError) -> BudgetID {
    var budget = budget
    var number = 1
    while true {
      budget.id = BudgetID(client: budget.id.client, name: "b\(number)")
      if !known.contains(budget.id), try editor.insert(budget) { return budget.id }
      number += 1
    }
  }
}

extension ArgumentFormat<BudgetPeriod> {
  static var budgetPeriod: ArgumentFormat { ArgumentFormat("P", .budgetPeriod) }
}

extension ArgumentFormat<AlertThresholds> {
  static var alertThresholds: ArgumentFormat {
    let list = ArgumentFormat<[Int64]>.list(of: .integer(1...100))
    return ArgumentFormat(list.valueName, allowed: AlertThresholds.rule) { text in
      list.parse(text).flatMap { AlertThresholds($0) }
    }
  }
}
