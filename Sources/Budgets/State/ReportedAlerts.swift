public import Time

/// The ledger's record of one account's alerts in one window, since the alerts were last re-armed.
public struct ReportedAlerts: Hashable, Sendable {
  public let budget: BudgetID
  public let subject: Subject
  /// The start of the window.
  public let windowStart: Timestamp
  /// The highest percentage that was reported; 0 for none.
  public let highestPercent: Int
  /// Whether a refusal for lack of tokens or money was reported.
  public let hasRefused: Bool
  /// Whether a refusal by a plan's conversation limit was reported.
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
  /// Restores the alerts that were reported before a start. Call it last, after use, holds and
  /// raises are restored.
  ///
  /// - Returns: The percentages that are reached but were never reported, because a process died
  ///   first. They count as reported now.
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
    // An account without use has reached nothing, not even with a limit of zero.
    return accounts.indices.filter { !accounts[$0].isRetired && accounts[$0].settled != .zero }
      .flatMap { takeThresholds(on: $0, at: now) }
  }
}
