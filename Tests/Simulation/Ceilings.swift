import Budgets
import Ledger
import Money
import Time

/// The most that each budget may have used in a window: what was in force at some time of it.
struct Ceilings {
  private struct Span {
    let amount: Spend
    /// Nil means everybody.
    let subject: Subject?
    /// Nil while it is in force.
    var until: Timestamp?
  }

  private var limits: [BudgetID: [Span]] = [:]
  private var raises: [BudgetID: [Span]] = [:]

  /// Clocks are set back, again and again, and windows stay: so long after its end a limit still
  /// counts.
  private static let slack = Duration.seconds(24 * 60 * 60)

  mutating func define(_ definitions: [BudgetDefinition], at now: Timestamp) {
    for (id, spans) in limits {
      guard let last = spans.indices.last, spans[last].until == nil else { continue }
      limits[id]?[last].until = now
    }
    for definition in definitions where definition.enforcement == .hard {
      let amount = Spend(
        tokens: definition.limit.tokens ?? .max, nanoUnits: definition.limit.cost?.nanoUnits ?? .max
      )
      limits[definition.id, default: []].append(Span(amount: amount, subject: nil))
    }
  }

  mutating func raise(_ target: Target, by raise: Raise) {
    raises[target.budget, default: []].append(
      Span(amount: raise.amount, subject: target.subject, until: raise.until))
  }

  /// In words, if the account has more than it may have had; nil for budgets that aren't hard.
  func excess(of account: BudgetAccount) -> String? {
    let (tokens, nano) = (ceiling(of: account, \.tokens), ceiling(of: account, \.nanoUnits))
    guard let tokens, let nano, account.tokens > tokens || account.cost.nanoUnits > nano else {
      return nil
    }
    return "\(account.key) has \(account.tokens) of \(tokens) tokens, "
      + "\(account.cost.nanoUnits) of \(nano)"
  }

  private func ceiling(of account: BudgetAccount, _ unit: KeyPath<Spend, Int64>) -> Int64? {
    let start = account.key.windowStart
    func isMeant(_ span: Span) -> Bool {
      let until = span.until?.advanced(by: Ceilings.slack)
      return (until ?? start) >= start
        && (span.subject.map { "\($0)" == account.key.subject } ?? true)
    }
    let limit = limits[account.key.budgetID, default: []].filter(isMeant)
      .map { $0.amount[keyPath: unit] }.max()
    let raise =
      raises[account.key.budgetID, default: []].filter(isMeant)
      .map { $0.amount[keyPath: unit] }.max() ?? 0
    return limit.map { $0.addingReportingOverflow(raise) }.map {
      $0.overflow ? .max : $0.partialValue
    }
  }
}
