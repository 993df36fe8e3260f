public import Time

/// What the ledger remembers of the alerts of one account in one window, since they were last
/// re-armed.
public struct ReportedAlerts: Hashable, Sendable {
  public let budget: BudgetID
  public let subject: Subject
  /// When the window began.
  public let windowStart: Timestamp
  /// The highest percentage that was reported; 0 where none was.
  public let highestPercent: Int
  /// Whether a refusal for want of tokens or money was reported.
  public let hasRefused: Bool
  /// Whether one was reported of a plan that lets no further conversation begin.
  public let hasRefusedConversation: Bool

  public init(
    budget: BudgetID, subject: Subject, windowStart: Timestamp, highestPercent: Int,
    hasRefused: Bool, hasRefusedConversation: Bool = false
  ) {
    self.budget = budget
    self.subject = subject
    self.windowStart = windowStart
    self.highestPercent = highestPercent
    self.hasRefused = hasRefused
    self.hasRefusedConversation = hasRefusedConversation
  }
}

extension BudgetState {
  /// Goes on with what was reported before a start: the last step of it, when use, holds and
  /// raises stand as they did.
  ///
  /// - Returns: The percentages that are reached and were never reported: a process died before
  ///   it could say so. They count as reported now.
  public mutating func restore(
    _ reported: [ReportedAlerts], at now: Timestamp
  ) -> [Threshold] {
    defer { assertInvariants() }
    let inForce = accounts.indices.filter { !accounts[$0].isRetired }
    for index in inForce { accounts[index].highestAlert = 0 }
    for alerts in reported {
      if alerts.hasRefusedConversation, alerts.budget.isPlan {
        conversationCounts[alerts.budget.client]?.restoreRefusal(of: alerts.windowStart)
      }
      guard let budget = budgetByID[alerts.budget],
        budgets[budget].definition.per == alerts.subject.kind
      else { continue }
      let index = account(of: budget, subject: alerts.subject.value, at: now)
      guard accounts[index].window.start == alerts.windowStart else { continue }
      accounts[index].highestAlert = alerts.highestPercent
      accounts[index].hasRefused = alerts.hasRefused
    }
    // Where nothing is used, nothing was reached, not even of a limit of nought.
    return accounts.indices.filter { !accounts[$0].isRetired && accounts[$0].settled != .zero }
      .flatMap { takeThresholds(on: $0, at: now) }
  }
}
