public import Budgets
internal import Ledger

extension Gateway {
  /// Logs and records percentages that were reached before this start and never reported.
  public func report(_ thresholds: [Threshold]) {
    for threshold in thresholds {
      BudgetEventLog.write(.thresholdReached(threshold), to: logger)
      ledger.record(Alert(threshold))
    }
  }
}
