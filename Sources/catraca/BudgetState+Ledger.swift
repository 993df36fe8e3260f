internal import Budgets
internal import Configuration
internal import Gateway
internal import Ledger
internal import Time

extension BudgetState {
  /// Gives the budgets what was used of them, and what administrators did to them. What requests in
  /// flight hold is not in the ledger in a form that could be given back.
  ///
  /// - Returns: What administrators did, and percentages that were reached and never reported.
  mutating func restore(
    from reader: LedgerReader, of clients: ClientRegistry, _ settings: Settings, at now: Timestamp
  ) throws(LedgerError) -> (BudgetControls, reached: [Threshold]) {
    let plans = PlanRecords(reader, of: clients, settings, at: now)
    let adjustments = BudgetControls(
      controls: try reader.budgetControls(), resets: try reader.budgetResets(after: 0))
    let earliest = BudgetState.earliestClock(after: now)
    let uses = try reader.budgetAccounts(liveAt: earliest).compactMap(\.recordedUse)
      .filter { !$0.budget.isPlan }
    restore(
      uses + (try plans.uses(after: adjustments.resets)), after: adjustments.resets, at: now)
    limitConversations(clients.conversationLimits, at: now)
    for (client, begun) in try plans.conversations(besides: []) {
      begin(begun, of: client, at: now)
    }
    var events: [Event] = []
    takeCredits(try reader.usableCredits(at: now).map(\.credit), at: now, events: &events)
    // Resets are in what was restored.
    apply(
      BudgetControls(controls: adjustments.controls, resets: []), replacing: [], at: now,
      events: &events)
    return (adjustments, restore(try reader.reportedAlerts(liveAt: earliest), at: now))
  }
}
