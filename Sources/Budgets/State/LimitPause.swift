public import Time

/// The beginning or end of a budget's pause by a limit. A pause begins with a refusal that left too
/// little for a useful answer.
public struct LimitPause: Hashable, Sendable {
  public let budget: BudgetID
  public let subject: Subject
  public let window: BudgetWindow
  /// The limit that was used up; nil for the end of a pause.
  public let unit: LimitUnit?
  /// The limit in force at that time, in that unit; 0 for the end of a pause.
  public let limit: Int64
  public let at: Timestamp

  public init(
    budget: BudgetID, subject: Subject, window: BudgetWindow, unit: LimitUnit?, limit: Int64,
    at: Timestamp
  ) {
    self.budget = budget
    self.subject = subject
    self.window = window
    self.unit = unit
    self.limit = limit
    self.at = at
  }
}

extension BudgetState {
  /// Begins or ends a pause by a limit, and reports it as an event, so that it outlives a restart.
  ///
  /// - Parameter unit: The used-up unit; nil for the end.
  mutating func setLimitPause(
    _ unit: LimitUnit?, on account: Int, at now: Timestamp, events: inout [Event]
  ) {
    guard accounts[account].exhaustedUnit != unit else { return }
    accounts[account].exhaustedUnit = unit
    let budget = budgets[accounts[account].budget]
    events.append(
      .limitPause(
        LimitPause(
          budget: budget.definition.id, subject: budget.subject(accounts[account].subject),
          window: accounts[account].window, unit: unit,
          limit: unit.flatMap { limits(at: account, at: now)[$0] } ?? 0, at: now)))
  }

  /// Restores pauses of windows that are still open. Call it after use and raises are restored.
  ///
  /// A pause has ended if its budget has another window or a higher limit now.
  public mutating func restore(_ pauses: [LimitPause], at now: Timestamp) {
    defer { assertInvariants() }
    for pause in pauses {
      guard let unit = pause.unit, let budget = budgetByID[pause.budget],
        budgets[budget].definition.per == pause.subject.kind
      else { continue }
      let index = account(of: budget, subject: pause.subject.value, at: now)
      guard accounts[index].window.start == pause.window.start,
        let limit = limits(at: index, at: now)[unit], limit <= pause.limit
      else { continue }
      accounts[index].exhaustedUnit = unit
    }
  }
}
