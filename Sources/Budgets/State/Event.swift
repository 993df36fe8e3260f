public import Time

/// An effect of a command besides its result.
public enum Event: Sendable {
  /// A waiting request was admitted.
  case admitted(Ticket, Grant)
  /// A waiting request was refused.
  case denied(Ticket, Denial)
  /// A `shadow` budget would have refused a request that was admitted.
  case wouldRefuse(HoldID, Denial)
  /// Settled use reached a percentage of a limit: once for each subject and window. The charge
  /// contains the same threshold, so that both are recorded together.
  case thresholdReached(Threshold)
  /// The first refusal of a window. In a `shadow` budget, the first refusal that it would have
  /// made.
  case exceeded(Denial, BudgetWindow)
  /// A pause by a limit began or ended, other than with its window.
  case limitPause(LimitPause)
  /// A request used more than its hold, so its bound was wrong.
  case overrun(Overrun)
}

/// A percentage of a limit that settled use has reached.
public struct Threshold: Hashable, Sendable {
  public let budget: BudgetID
  public let subject: Subject
  public let window: BudgetWindow
  /// One of the budget's `alerts`.
  public let percent: Int
  /// The unit that reached the percentage; tokens if both did.
  public let unit: CountedUnit
  public let limit: Int64
  public let used: Int64
  public let reachedAt: Timestamp
}

public struct Overrun: Hashable, Sendable {
  public let budget: BudgetID
  public let subject: Subject
  /// The use above the hold; zero in a unit that wasn't exceeded.
  public let excess: Spend
}
