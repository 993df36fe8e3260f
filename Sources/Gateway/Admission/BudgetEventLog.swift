public import Budgets
internal import JSON
internal import Ledger
internal import Logging
internal import Money

/// Writes what budgets did by themselves into the log: thresholds that were reached, and bounds
/// that were wrong. Refusals have lines of their own, with the request that was refused.
enum BudgetEventLog {
  static func write(_ event: Event, to logger: Logger) {
    switch event {
    case .thresholdReached(let threshold):
      logger.log(.info, "budget_threshold") { line in
        line.member("budget", "\(threshold.budget)")
        line.member("subject", "\(threshold.subject)")
        line.member("percent", Int64(threshold.percent))
        write("limit", threshold.limit, threshold.unit, to: &line)
        write("used", threshold.used, threshold.unit, to: &line)
      }
    case .overrun(let overrun):
      logger.log(.error, "budget_overrun") { line in
        line.member("budget", "\(overrun.budget)")
        line.member("subject", "\(overrun.subject)")
        line.member("excess_tokens", overrun.excess.tokens)
        line.member("excess_nano_units", overrun.excess.nanoUnits)
      }
    case .admitted, .denied, .wouldRefuse, .exceeded, .limitPause: break
    }
  }

  private static func write(
    _ name: String, _ value: Int64, _ unit: CountedUnit, to line: inout JSONWriter
  ) {
    switch unit {
    case .tokens, .conversations: line.member(name, value)
    case .nanoUnits(let currency):
      line.member(name, Money(nanoUnits: value, currency: currency).decimalText)
    }
  }
}

extension Gateway {
  /// Logs and records percentages that were reached before this start and never reported.
  public func report(_ thresholds: [Threshold]) {
    for threshold in thresholds {
      BudgetEventLog.write(.thresholdReached(threshold), to: logger)
      ledger.record(Alert(threshold))
    }
  }
}
