public import Budgets
public import Time

/// A client's subscription to a plan other than the default one, with its start.
public struct Subscription: Hashable, Sendable {
  public enum Status: String, Sendable, Hashable, CaseIterable {
    case active
    case pastDue = "past_due"
    case canceled
  }

  public let plan: String
  /// The first day of its first period.
  public let startedOn: CivilDate
  public let status: Status

  public init(plan: String, startedOn: CivilDate, status: Status = .active) {
    self.plan = plan
    self.startedOn = startedOn
    self.status = status
  }
}

extension Client {
  /// The periods of the client's plan: months from the day on which its subscription began, or
  /// calendar months without a subscription.
  public var planPeriod: BudgetPeriod {
    subscription.map { .monthsFrom(day: $0.startedOn.day) } ?? .monthly
  }

  /// Returns the plan's period that is open at `now`.
  public func planWindow(at now: Timestamp) -> BudgetWindow {
    BudgetWindow(of: planPeriod, containing: now, in: timeZone)
  }
}
