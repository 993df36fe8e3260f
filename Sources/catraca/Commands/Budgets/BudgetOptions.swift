internal import Budgets
internal import Configuration
internal import Money

/// What the commands about one budget take.
enum BudgetOptions {
  static let id = Parameter(
    "id", ArgumentFormat<BudgetID>.budgetID, "the budget, as budget status names it",
    isRequired: true)
  static let subject = Parameter(
    "subject", ArgumentFormat<Subject>.subject,
    "only this user, key, model or conversation of it; else all")
  static let tokens = Parameter(
    "tokens", ArgumentFormat<Int64>.integer(0...(1 << 53)), "tokens")
  static let cost = Parameter("cost", ArgumentFormat<String>.amount, "money")
  static let common: [any ParameterDescription] = [
    CommonOptions.config, CommonOptions.ledger, CommonOptions.format,
  ]
}

extension ArgumentFormat<BudgetID> {
  static var budgetID: ArgumentFormat {
    ArgumentFormat("CLIENT/NAME", allowed: "a client's id, a slash and a name: acme/month") {
      let parts = $0.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
      return BudgetID(client: parts[0], name: parts[1])
    }
  }
}

extension ArgumentFormat<Subject> {
  static var subject: ArgumentFormat {
    ArgumentFormat("KIND:NAME", allowed: "a kind, a colon and a name, such as user:u1") {
      Subject(text: $0)
    }
  }
}

extension ArgumentFormat<String> {
  /// A decimal, which becomes money once its currency is known.
  static var amount: ArgumentFormat {
    ArgumentFormat("M", allowed: "a decimal with at most \(Money.places) places, such as 50.00") {
      (try? Money(decimal: $0, currency: .usd)) == nil ? nil : $0
    }
  }
}

extension ArgumentFormat<Currency> {
  static var currency: ArgumentFormat {
    ArgumentFormat("X", allowed: "the three letters of a currency, such as BRL") { Currency($0) }
  }
}
