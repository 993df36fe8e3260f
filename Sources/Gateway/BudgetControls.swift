public import Budgets
public import Ledger
public import Time

/// What administrators did to budgets beside defining them, to be put in force together.
public struct BudgetControls: Sendable {
  /// Everything that is set, whole budgets before their subjects.
  public var controls: [BudgetControl]
  /// Resets that have not been carried out yet, in their order.
  public var resets: [BudgetReset]

  public init(controls: [BudgetControl], resets: [BudgetReset]) {
    self.controls = controls
    self.resets = resets
  }
}

extension BudgetState {
  /// Carries out what differs between `former` and `new`, and the resets.
  ///
  /// What is set on a budget that there isn't, or on subjects of another kind than it counts by,
  /// waits until there is: a file may bring the budget back.
  public mutating func apply(
    _ new: BudgetControls, replacing former: [BudgetControl], at now: Timestamp,
    events: inout [Event]
  ) {
    let before = Dictionary(former.map { ($0.target, $0) }) { first, _ in first }
    let after = Dictionary(new.controls.map { ($0.target, $0) }) { first, _ in first }
    var changedBudgets: Set<BudgetID> = []
    for target in Set(before.keys).union(after.keys) where before[target] != after[target] {
      changedBudgets.insert(target.budget)
    }
    for budget in changedBudgets.sorted(by: { $0.description < $1.description }) {
      let whole = after[Target(budget: budget)] ?? BudgetControl(target: Target(budget: budget))
      apply(whole, at: now, events: &events)
      for control in new.controls where control.target.budget == budget {
        if control.target.subject != nil { apply(control, at: now, events: &events) }
      }
    }
    for reset in new.resets where isAddressable(reset.target) {
      _ = try? self.reset(reset.target, use: reset.use, at: now, events: &events)
    }
  }

  private mutating func apply(
    _ control: BudgetControl, at now: Timestamp, events: inout [Event]
  ) {
    guard isAddressable(control.target) else { return }
    let isWhole = control.target.subject == nil
    if let isPaused = control.isPaused ?? (isWhole ? false : nil) {
      if isPaused {
        try? pause(control.target, at: now, events: &events)
      } else {
        try? resume(control.target, at: now, events: &events)
      }
    }
    if let raise = control.raise ?? (isWhole ? Raise(amount: .zero, until: now) : nil) {
      try? self.raise(control.target, by: raise, at: now, events: &events)
    }
  }

  private func isAddressable(_ target: Target) -> Bool {
    guard let definition = definition(of: target.budget) else { return false }
    return target.subject.map { $0.kind == definition.per } ?? true
  }
}

extension Gateway {
  /// Puts what administrators did to budgets in force.
  ///
  /// - Parameter former: what was set when this was last called.
  public func apply(_ controls: BudgetControls, replacing former: [BudgetControl]) {
    desk.apply(controls, replacing: former)
  }

  /// Reads how the budgets stand, all as of one instant.
  public func readBudgets<Answer: Sendable>(
    _ body: @Sendable (BudgetState) -> Answer
  ) -> Answer {
    desk.read(body)
  }
}
