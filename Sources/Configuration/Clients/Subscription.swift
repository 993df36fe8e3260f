public import Budgets
public import Time

/// That a client is on a plan other than the default one, and since when.
public struct Subscription: Hashable, Sendable {
  public enum Status: String, Sendable, Hashable, CaseIterable {
    case active
    case pastDue = "past_due"
    case canceled
  }

  public let plan: String
  /// The day on which its first period began.
  public let startedOn: CivilDate
  public let status: Status

  public init(plan: String, startedOn: CivilDate, status: Status = .active) {
    self.plan = plan
    self.startedOn = startedOn
    self.status = status
  }
}

extension Client {
  /// The periods of its plan: months from the day on which its subscription began, else those of
  /// the calendar.
  public var planPeriod: BudgetPeriod {
    subscription.map { .monthsFrom(day: $0.startedOn.day) } ?? .monthly
  }

  /// The period of its plan that is open at `now`.
  public func planWindow(at now: Timestamp) -> BudgetWindow {
    BudgetWindow(of: planPeriod, containing: now, in: timeZone)
  }
}
