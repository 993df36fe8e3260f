import Testing

/// A budget with one mistake.
struct WrongBudget: CustomTestStringConvertible {
  let text: String
  /// From the column on.
  let mistake: String

  var testDescription: String { mistake }

  init(_ text: String, _ mistake: String) {
    self.text = text
    self.mistake = mistake
  }

  static let all = [
    WrongBudget("{}", "1: a budget without a limit; allowed: tokens, cost, or both"),
    WrongBudget(
      "{ mode: tokens }", "9: mode needs tokens, which is missing; allowed: give tokens"),
    WrongBudget(
      "{ mode: both, tokens: 1 }", "9: mode needs cost, which is missing; allowed: give cost"),
    WrongBudget(
      "{ mode: brl, cost: 1, tokens: 2 }",
      "31: tokens is not used by this mode; allowed: leave it out, or mode: both"),
    WrongBudget(
      "{ mode: tokens, tokens: 1, currency: BRL }",
      "38: currency is not used without cost; allowed: leave it out, or give cost"),
    WrongBudget(
      "{ mode: brl, cost: 1, currency: USD }",
      "33: currency: USD contradicts mode; allowed: BRL"),
    WrongBudget(
      "{ cost: 1, currency: EUR }",
      "22: EUR has no rate in currency.per_usd; allowed: BRL, USD"),
    WrongBudget(
      "{ mode: minutes, tokens: 1 }",
      "9: mode: \"minutes\" is not valid; allowed: tokens, cost, both, or a currency such as brl"),
    WrongBudget(
      "{ tokens: 1.5 }",
      "11: tokens: \"1.5\" is not valid; allowed: a whole number from 0 to 9007199254740992"),
    WrongBudget(
      "{ cost: -1 }",
      "9: cost: \"-1\" is not valid; allowed: an amount with at most 9 decimals, such as "
        + "\"500.00\""),
    WrongBudget(
      "{ tokens: 1, per: group }",
      "19: per: \"group\" is not valid; allowed: one of client, user, key, model, conversation"),
    WrongBudget(
      "{ tokens: 1, period: 0d }",
      "22: period: \"0d\" is not valid; allowed: daily, weekly, monthly, total, or 1d to 3660d"),
    WrongBudget(
      "{ tokens: 1, enforcement: strict }",
      "27: enforcement: \"strict\" is not valid; allowed: one of hard, soft, shadow"),
    WrongBudget(
      "{ tokens: 1, pause_at_limit: no }",
      "30: pause_at_limit: \"no\" is not valid; allowed: true or false"),
    WrongBudget(
      "{ tokens: 1, alerts: [90, 80] }",
      "22: alerts: this order is not valid; allowed: percentages from 1 to 100, ascending, "
        + "such as [80, 90, 100]"),
    WrongBudget(
      "{ tokens: 1, alerts: [101] }",
      "23: alerts: \"101\" is not valid; allowed: a whole number from 1 to 100"),
    WrongBudget(
      "{ tokens: 1, name: plan }",
      "20: name: \"plan\" is the plan's own budget; allowed: another name"),
    WrongBudget("{ token: 1, tokens: 1 }", "3: unknown key \"token\"; did you mean \"tokens\"?"),
  ]
}
