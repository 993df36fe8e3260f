package import Budgets
package import Configuration
internal import EventLoop
internal import Gateway
internal import JSON
package import Ledger
internal import Logging
package import Time

/// The state that a start takes over from the ledger: the clients, and their budgets' use.
struct BudgetStart {
  let stored: StoredClients
  let clients: ClientRegistry
  let budgets: BudgetState
  /// The raises, pauses and resets that administrators made. `budgets` contains them already.
  let adjustments: BudgetControls
  /// Thresholds that a budget reached before the start and that no alert has reported.
  let reached: [Threshold]

  /// - Parameters:
  ///   - rules: the settings of the files. This call adds the clients and prices of the ledger.
  ///   - unreadable: collects the rows that can't be understood. Their clients are closed.
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
    // Reading the use of budgets may have closed further clients.
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
  /// Logs the rows of the ledger that the server ignores.
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
  /// Restores each budget's use and its administrators' changes from the ledger. Holds of requests
  /// in flight aren't restored: recovery settles those requests from their intents.
  ///
  /// - Returns: The administrators' changes, and the thresholds that no alert has reported yet.
  /// - Throws: `LedgerError` if the ledger can't be read.
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
    // The restored use has the resets in it already.
    apply(
      BudgetControls(controls: adjustments.controls, resets: []), replacing: [], at: now,
      events: &events)
    restore(try reader.limitPauses(liveAt: earliest), at: now)
    return (adjustments, restore(try reader.reportedAlerts(liveAt: earliest), at: now))
  }
}
