public import Budgets
public import Time

/// Administrators' changes to budgets besides their definitions. They are applied together.
public struct BudgetControls: Sendable {
  /// All controls, whole budgets before their subjects.
  public var controls: [BudgetControl]
  /// Resets that haven't been applied yet, in order.
  public var resets: [BudgetReset]
  /// All resets of budgets that have just come back. Use that they cleared stays cleared.
  public var earlierResets: [BudgetReset] = []

  public init(controls: [BudgetControl], resets: [BudgetReset]) {
    self.controls = controls
    self.resets = resets
  }
}

extension BudgetState {
  /// Applies the differences between `former` and `new`, and the resets.
  ///
  /// A control waits if its budget doesn't exist, or if its subject's kind isn't the budget's. A
  /// file may bring the budget back.
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
    for reset in new.earlierResets where reset.use == .clear {
      restoreClearing(of: reset.target, at: reset.at, now: now)
    }
    for reset in new.resets where isAddressable(reset.target) {
      _ = try? self.reset(
        reset.target, use: reset.use, asked: reset.at, at: now, events: &events)
    }
  }

  /// Restores recorded use before the first request, except use that a reset has cleared. The
  /// resets count as applied.
  public mutating func restore(
    _ uses: [RecordedUse], after resets: [BudgetReset], at now: Timestamp
  ) {
    restore(uses.filter { use in !resets.contains { $0.clears(use) } }, at: now)
    for reset in resets where reset.use == .clear {
      restoreClearing(of: reset.target, at: reset.at, now: now)
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

extension BudgetReset {
  /// Whether this reset has cleared a recorded use.
  func clears(_ use: RecordedUse) -> Bool {
    self.use == .clear && target.budget == use.budget && use.window.start < at
      && target.subject.map { $0 == use.subject } ?? true && !use.window.hasEnded(at: at)
  }
}
