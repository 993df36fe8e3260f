public import Time

/// What a command brought about besides its answer.
public enum Event: Sendable {
  /// A waiting request was let through.
  case admitted(Ticket, Grant)
  /// A waiting request was refused.
  case denied(Ticket, Denial)
  /// A `shadow` budget would have refused a request that was let through.
  case wouldRefuse(HoldID, Denial)
  /// Settled use reached a percentage of a limit: once for each subject and window. It also stands
  /// in the charge, with which it is recorded.
  case thresholdReached(Threshold)
  /// The first refusal of a window, or what would have been it in a `shadow` budget.
  case exceeded(Denial, BudgetWindow)
  /// A pause by a limit began or ended, other than with its window.
  case limitPause(LimitPause)
  /// A request used more than was held for it: its bound was wrong.
  case overrun(Overrun)
}

/// A percentage of a limit that settled use has reached.
public struct Threshold: Hashable, Sendable {
  public let budget: BudgetID
  public let subject: Subject
  public let window: BudgetWindow
  /// One of the budget's `alerts`.
  public let percent: Int
  /// The unit that reached it; tokens where both did.
  public let unit: CountedUnit
  public let limit: Int64
  public let used: Int64
  public let reachedAt: Timestamp
}

public struct Overrun: Hashable, Sendable {
  public let budget: BudgetID
  public let subject: Subject
  /// What was used above the hold; zero in the unit that wasn't passed.
  public let excess: Spend
}
