internal import Budgets
internal import EventLoop
internal import Time

/// The ledger's database as its writer sees it: what is committed together, and recovery.
final class LedgerDatabase {
  let connection: Connection
  private let usageLogs: UsageLogStore
  private let inFlight: InFlightStore
  private let conversations: ConversationStore
  private let tokenUsage: TokenUsageStore
  private let rollups: UsageRollupStore
  private let totals: UsageTotalStore
  private let budgetAccounts: BudgetAccountStore
  private let budgetDefinitions: BudgetDefinitionStore
  private let priceVersions: PriceVersionStore
  private let deferredRequests: DeferredRequestStore
  private let denials: DenialStore
  private let unpricedModels: UnpricedModelStore
  private let alerts: AlertStore
  private var alertsWritten = false
  private let biller: Biller
  private let credits: CreditStore
  private let settlements: SettlementReader
  private let begin: Statement
  private let end: Statement

  /// - Parameters:
  ///   - recorded: where metrics are summed.
  ///   - modelLabel: how they call a model.
  init(
    _ options: SQLiteLedger.Options, recorded: Lock<RecordedUsage> = Lock(RecordedUsage()),
    modelLabel: @escaping UsageTotalStore.ModelLabel = { model, _ in model }
  ) throws(LedgerError) {
    connection = try Connection(
      path: options.path, access: .readWrite,
      busyTimeoutMilliseconds: options.busyTimeoutMilliseconds, fileSystem: options.fileSystem)
    try LedgerDatabase.configure(connection, options)
    _ = try Schema.migrate(connection, path: options.path)
    usageLogs = try UsageLogStore(connection)
    inFlight = try InFlightStore(connection)
    conversations = try ConversationStore(connection)
    tokenUsage = try TokenUsageStore(connection)
    rollups = try UsageRollupStore(connection)
    totals = try UsageTotalStore(connection, recorded: recorded, label: modelLabel)
    budgetAccounts = try BudgetAccountStore(connection)
    budgetDefinitions = try BudgetDefinitionStore(connection)
    priceVersions = try PriceVersionStore(connection)
    deferredRequests = try DeferredRequestStore(connection)
    denials = try DenialStore(connection)
    unpricedModels = try UnpricedModelStore(connection)
    alerts = try AlertStore(connection)
    biller = try Biller(connection)
    credits = CreditStore(connection)
    settlements = try SettlementReader(connection)
    begin = try connection.prepare(Connection.begin)
    end = try connection.prepare(Connection.commit)
  }

  /// With the write-ahead log, a commit is a few pages appended. NORMAL leaves it to the system
  /// when they reach the disk, which is enough for the death of a process; FULL waits for it. A
  /// checkpoint copies pages back and synchronizes, so it is made seldom: every 16 MiB.
  private static func configure(
    _ connection: Connection, _ options: SQLiteLedger.Options
  ) throws(LedgerError) {
    let mode = try connection.prepare("PRAGMA journal_mode = WAL")
    guard try mode.step(), mode.text(0) == "wal" else {
      throw .cannotOpen(
        path: options.path, reason: "its file system can't keep a write-ahead log")
    }
    mode.reset()
    try connection.execute(
      """
      PRAGMA synchronous = \(options.durability == .power ? "FULL" : "NORMAL");
      PRAGMA wal_autocheckpoint = 4096;
      PRAGMA journal_size_limit = 67108864;
      PRAGMA cache_size = -16384;
      PRAGMA temp_store = MEMORY;
      PRAGMA trusted_schema = OFF;
      """)
  }

  /// Writes all of it in one transaction, or nothing.
  func commit(
    _ entries: some Sequence<Entry>, denials rows: [DenialRow], alerts: [Alert] = [],
    unpriced models: [UnpricedModel] = []
  ) throws(LedgerError) {
    try transaction { () throws(LedgerError) in
      for entry in entries { try write(entry) }
      for row in rows {
        try denials.insert(row)
        totals.add(row)
      }
      try write(alerts)
      for model in models { try unpricedModels.add(model) }
    }
  }

  private func write(_ alerts: [Alert]) throws(LedgerError) {
    guard !alerts.isEmpty else { return }
    for alert in alerts { try self.alerts.insert(alert) }
    alertsWritten = true
  }

  /// Whether alerts were written since this was last asked.
  func takeAlertsWritten() -> Bool {
    defer { alertsWritten = false }
    return alertsWritten
  }

  /// Whether charges were written since this was last asked.
  func takeChargesWritten() -> Bool { biller.takeWritten() }

  /// Writes entries that may have been written before, as far as they have not.
  func replay(_ lines: [String]) throws(LedgerError) {
    try transaction { () throws(LedgerError) in
      for line in lines {
        let entry = try Entry(line: line, reader: settlements)
        if case .open(let interrupted) = entry, try isKnown(interrupted.row.requestID) { continue }
        try write(entry)
      }
    }
  }

  private func isKnown(_ requestID: RequestID) throws(LedgerError) -> Bool {
    if inFlight.isLive(requestID) { return true }
    return try usageLogs.contains(requestID)
  }

  /// Settles every intent that a process left behind with its estimate; returns how many.
  ///
  /// Only for a start, when nothing is in flight. A second time there is nothing to do.
  func recover() throws(LedgerError) -> Int {
    let findIntents = try connection.prepare(LedgerDatabase.findIntents)
    let clear = try connection.prepare(LedgerDatabase.clearInFlight)
    return try transaction { () throws(LedgerError) in
      var intents: [String] = []
      try findIntents.forEachRow { () throws(LedgerError) in
        if let intent = findIntents.text(0) { intents.append(intent) }
      }
      var recovered = 0
      for intent in intents {
        let interrupted = try settlements.settlement(in: intent, at: "$")
        guard inFlight.isLive(interrupted.row.requestID) else { continue }
        try settle(interrupted)
        recovered += 1
      }
      // Also rows whose intents had all ended.
      try clear.run()
      return recovered
    }
  }

  func syncBudgets(_ definitions: [BudgetDefinition], at now: Timestamp) throws(LedgerError) {
    try transaction { () throws(LedgerError) in
      try budgetDefinitions.sync(definitions, at: now)
    }
  }

  func syncBilling(_ agreements: [BillingAgreement], at now: Timestamp) throws(LedgerError) {
    try transaction { () throws(LedgerError) in try biller.sync(agreements, at: now) }
  }

  /// Writes what a start would else have to sum up itself.
  func writeTotals() throws(LedgerError) {
    try transaction { () throws(LedgerError) in try totals.flush(always: true) }
  }

  /// Copies the write-ahead log back, so that the file stands alone.
  func checkpoint() throws(LedgerError) {
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  private func write(_ entry: Entry) throws(LedgerError) {
    switch entry {
    case .open(let interrupted):
      try priceVersions.keep(interrupted.row.priceVersion, interrupted.priceRecord)
      inFlight.open(interrupted)
    case .settle(let settlement):
      try settle(settlement)
    case .discard(let requestID):
      try inFlight.discard(requestID)
    case .deferral(let request):
      try inFlight.discard(request.requestID)
      // A spool may be replayed from an entry that came before the request's last row.
      guard try !usageLogs.contains(request.requestID) else { return }
      try deferredRequests.insert(request)
    case .settleDeferred(let settlement):
      for row in settlement.rows { try settle(row) }
      try deferredRequests.note(settlement.progress, of: settlement.requestID)
    }
  }

  private func settle(_ settlement: SettledRequest) throws(LedgerError) {
    let row = settlement.row
    try priceVersions.keep(row.priceVersion, settlement.priceRecord)
    let accounts = try budgetAccounts.describe(settlement.charges, of: row)
    let beginsConversation = try conversations.isFirst(row)
    if try usageLogs.insert(
      row, beginsConversation: beginsConversation, budgetAccounts: accounts)
    {
      tokenUsage.add(row, beginsConversation: beginsConversation)
      rollups.add(row, beginsConversation: beginsConversation)
      totals.add(
        row, id: connection.lastInsertedID, upstreamMicroseconds: settlement.upstreamMicroseconds)
      try biller.count(row)
      try budgetAccounts.add(settlement.charges)
      try credits.draw(settlement.draws, by: row)
      for charge in settlement.charges { try write(charge.alerts) }
    }
    inFlight.settle(row.requestID)
  }

  /// A transaction whose sums are written before, and whose memory is corrected after its end.
  private func transaction<Answer>(
    _ body: () throws(LedgerError) -> Answer
  ) throws(LedgerError) -> Answer {
    do {
      let answer = try connection.transaction(begin: begin, commit: end) {
        () throws(LedgerError) in
        let answer = try body()
        try inFlight.flush()
        try tokenUsage.flush()
        try rollups.flush()
        try totals.flush()
        try budgetAccounts.flush()
        return answer
      }
      inFlight.didCommit()
      biller.didCommit()
      totals.didCommit()
      return answer
    } catch {
      inFlight.didRollBack()
      tokenUsage.didRollBack()
      rollups.didRollBack()
      totals.didRollBack()
      budgetAccounts.didRollBack()
      priceVersions.didRollBack()
      biller.didRollBack()
      throw error
    }
  }

  private static let findIntents =
    "SELECT intent.value FROM in_flight, json_each(in_flight.intents) AS intent"
  private static let clearInFlight = "DELETE FROM in_flight"
}
