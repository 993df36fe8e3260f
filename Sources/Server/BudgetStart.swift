package import Budgets
package import Configuration
internal import EventLoop
internal import Gateway
internal import JSON
package import Ledger
internal import Logging
package import Time

/// What a start takes over from the ledger: clients, and their budgets as they stand.
struct BudgetStart {
  let stored: StoredClients
  let clients: ClientRegistry
  let budgets: BudgetState
  /// What administrators did to budgets, which is in force.
  let adjustments: BudgetControls
  /// Percentages that were reached and never reported.
  let reached: [Threshold]

  /// - Parameters:
  ///   - rules: what the files say; with what the ledger adds, they are whole from here on.
  ///   - unreadable: notes the rows that can't be understood. Their clients are closed.
  init(
    from reader: LedgerReader, into rules: Lock<RulesSnapshot>,
    passingOver unreadable: UnreadableRows, _ logger: Logger, at now: Timestamp
  ) throws {
    let settings = rules.withLock { $0 }.settings
    stored = try reader.storedClients()
    let open = try settings.clients.adding(stored, passingOver: unreadable)
    var budgets = try BudgetState(open.budgets, policy: Server.policy(settings))
    (adjustments, reached) = try budgets.restore(from: reader, of: open, settings, at: now)
    self.budgets = budgets
    // What was used of budgets may be unreadable too.
    clients = try settings.clients.adding(stored, passingOver: unreadable)
    let book = try RulesSnapshot(settings, clients: clients, priceOverrides: stored.priceOverrides)
    rules.withLock { $0 = book }
    if try clients.clients.isEmpty && reader.hasServedClients() {
      logger.log(.warn, "configuration_warning") { line in
        line.member(
          "warning",
          "no client is declared, though the ledger has served some: every key is answered 401. "
            + "Was the file of the clients cut short?")
      }
    }
  }
}

extension Logger {
  /// Says which rows of the ledger the server goes on without.
  func log(_ rows: [UnreadableRow]) {
    for row in rows {
      log(.error, "row_unreadable") { line in
        line.member("client", row.clientID)
        line.member("record", row.record)
        line.member("effect", row.effect.rawValue)
      }
    }
  }
}

extension BudgetState {
  /// Gives the budgets what was used of them, and what administrators did to them. What requests in
  /// flight hold is not in the ledger in a form that could be given back.
  ///
  /// - Returns: What administrators did, and percentages that were reached and never reported.
  /// - Throws: `LedgerError` where the ledger can't be read.
  package mutating func restore(
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
    restore(try reader.limitPauses(liveAt: earliest), at: now)
    return (adjustments, restore(try reader.reportedAlerts(liveAt: earliest), at: now))
  }
}
