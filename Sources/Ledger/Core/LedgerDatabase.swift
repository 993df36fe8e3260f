internal import Budgets
internal import EventLoop
internal import Time

/// The ledger's database as its writer sees it: what is committed together, and recovery.
final class LedgerDatabase {
  let connection: DatabaseConnection
  let usageLogs: UsageLogStore
  let partitions: UsagePartitionStore
  let inFlight: InFlightStore
  let conversations: ConversationStore
  let tokenUsage: TokenUsageStore
  let rollups: UsageRollupStore
  let totals: UsageTotalStore
  let budgetAccounts: BudgetAccountStore
  private let budgetDefinitions: BudgetDefinitionStore
  private let priceVersions: PriceVersionStore
  let deferredRequests: DeferredRequestStore
  private let idempotencyKeys: IdempotencyKeyStore
  private let providerObjects: ProviderObjectStore
  private let denials: DenialStore
  private let missingPrices: MissingPriceStore
  private let missingPriceAlerts: MissingPriceAlerts
  private let limitPauses: LimitPauseStore
  private let alerts: AlertStore
  private var alertsWritten = false
  let biller: Biller
  let creditDraws: CreditDrawStore
  let settlements: SettlementReader
  /// Nil where one server has the database.
  let shared: ReplicaStores?
  /// Whether the last transaction may have been committed although its end wasn't told.
  private(set) var isUncertain = false
  private let begin: Statement
  private let end: Statement
  private var checkpointer: Checkpointer?
  private var logWatch = LogWatch(hasHelper: false)

  /// - Parameters:
  ///   - membership: who this server is among those that share the ledger; nil where none do.
  ///   - spool: what its offline reserve belongs to; nil where it keeps none.
  ///   - recorded: where metrics are summed.
  ///   - modelLabel: how they call a model.
  ///   - unreadable: notes rows that can't be understood and are passed over.
  init(
    _ options: ServerLedger.Options, membership: Membership? = nil, spool: SpoolAddress? = nil,
    recorded: Lock<RecordedUsage> = Lock(RecordedUsage()),
    modelLabel: @escaping UsageTotalStore.ModelLabel = { model, _ in model },
    unreadable: UnreadableRows = UnreadableRows()
  ) throws(LedgerError) {
    connection = try DatabaseConnection(
      options.location, access: .readWrite,
      busyTimeoutMilliseconds: options.busyTimeoutMilliseconds, fileSystem: options.fileSystem,
      commitsOften: true)
    connection.unreadable = unreadable
    if case .sqlite = connection.dialect { try LedgerDatabase.configure(connection, options) }
    _ = try DatabaseSchema.migrate(connection, at: options.location)
    // A process that died may have written what it didn't wait for, and from now on it counts.
    if options.durability == .power { try connection.synchronizeLog() }
    usageLogs = try UsageLogStore(connection)
    partitions = UsagePartitionStore(connection)
    inFlight = try InFlightStore(connection, replica: membership?.id)
    conversations = try ConversationStore(connection)
    tokenUsage = try TokenUsageStore(connection)
    rollups = try UsageRollupStore(connection)
    totals = try UsageTotalStore(connection, recorded: recorded, label: modelLabel)
    budgetAccounts = try BudgetAccountStore(connection, isShared: membership != nil)
    budgetDefinitions = try BudgetDefinitionStore(connection)
    priceVersions = try PriceVersionStore(connection)
    deferredRequests = try DeferredRequestStore(connection, replica: membership?.id)
    idempotencyKeys = IdempotencyKeyStore(connection)
    providerObjects = try ProviderObjectStore(connection)
    denials = try DenialStore(connection)
    missingPrices = try MissingPriceStore(connection)
    missingPriceAlerts = try MissingPriceAlerts(connection)
    limitPauses = try LimitPauseStore(connection)
    alerts = try AlertStore(connection)
    biller = try Biller(connection)
    creditDraws = try CreditDrawStore(connection, isShared: membership != nil)
    settlements = SettlementReader()
    if let membership {
      connection.setAnswerTimeout(milliseconds: LedgerDatabase.answerTimeoutMilliseconds)
      shared = try ReplicaStores(connection, membership, spool)
    } else {
      shared = nil
    }
    begin = try connection.prepare(DatabaseConnection.begin)
    end = try connection.prepare(DatabaseConnection.commit)
  }

  /// With the write-ahead log, a commit is a few pages appended. NORMAL leaves it to the system
  /// when they reach the disk, which is enough for the death of a process; FULL waits for it.
  /// Deleted rows are overwritten where their page is written anyway: Debian's SQLite would write
  /// the pages that become free, too.
  private static func configure(
    _ connection: DatabaseConnection, _ options: ServerLedger.Options
  ) throws(LedgerError) {
    let mode = try connection.prepare("PRAGMA journal_mode = WAL")
    guard try mode.step(), mode.text(0) == "wal" else {
      throw .cannotOpen(
        path: options.location.description, reason: "its file system can't keep a write-ahead log")
    }
    mode.reset()
    try connection.execute(
      """
      PRAGMA synchronous = \(options.durability == .power ? "FULL" : "NORMAL");
      PRAGMA journal_size_limit = 67108864;
      PRAGMA secure_delete = FAST;
      PRAGMA cache_size = -16384;
      PRAGMA temp_store = MEMORY;
      PRAGMA trusted_schema = OFF;
      """)
    connection.takeOverLog()
  }

  /// From now on the write-ahead log is copied into the file beside the writer.
  func startCheckpointer(_ options: ServerLedger.Options) throws(LedgerError) {
    guard case .sqlite(let path) = options.location else { return }
    checkpointer = try Checkpointer(path: path, options)
    logWatch = LogWatch(hasHelper: true)
  }

  /// How much the checkpointer had copied of the write-ahead log at the end of its last round.
  var copiedOfLog: Int { checkpointer?.progress.copied ?? 0 }

  /// Sees to it that the write-ahead log doesn't grow for ever; better when nobody waits for a
  /// commit.
  func keepLogShort() {
    switch logWatch.step(frames: connection.logFrames, copied: copiedOfLog) {
    case .nothing: break
    case .copyBeside: checkpointer?.ring()
    case .copyNow:
      // Two can't copy at once: beside a helper on a slow disk the log would grow on.
      if connection.logFrames >= LogWatch.longest { checkpointer?.finish() }
      connection.copyLog()
    }
  }

  /// Writes all of it in one transaction, or nothing.
  func commit(
    _ entries: some Sequence<Entry>, _ rows: UnawaitedRows = UnawaitedRows()
  ) throws(LedgerError) {
    let mayRepeat = isUncertain
    try transaction { () throws(LedgerError) in
      for entry in entries {
        if mayRepeat, try isWritten(entry) { continue }
        try write(entry)
      }
      for row in rows.denials {
        try denials.insert(row)
        totals.add(row)
      }
      try write(rows.alerts)
      for pause in rows.limitPauses { try limitPauses.write(pause) }
      if rows.missingPrices.isEmpty { return }
      try missingPrices.add(rows.missingPrices)
      try write(try missingPriceAlerts.due(rows.missingPrices))
    }
  }

  /// Writes something, and what was there again: an empty transaction says nothing of whether the
  /// disk is full, nor does one that changes nothing, since SQLite then writes nothing.
  func probe() throws(LedgerError) {
    try transaction { () throws(LedgerError) in
      for step in ["+ 1", "- 1"] {
        try connection.prepare("UPDATE usage_totals_reach SET last_id = last_id \(step)").run()
      }
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
        let entry = paidByOwnLeases(try Entry(line: line, reader: settlements))
        if try !isWritten(entry) { try write(entry) }
      }
    }
  }

  /// Leases of an earlier life have ended.
  private func paidByOwnLeases(_ entry: Entry) -> Entry {
    guard case .settle(var settlement) = entry, settlement.leaseholder != shared?.replica
    else { return entry }
    for index in settlement.charges.indices { settlement.charges[index].takenOffLease = .zero }
    return .settle(settlement)
  }

  /// Whether an intent was written before. All else can be written again without harm.
  private func isWritten(_ entry: Entry) throws(LedgerError) -> Bool {
    guard let requestID = entry.openedRequestID else { return false }
    if inFlight.isLive(requestID) { return true }
    return try usageLogs.contains(requestID)
  }

  /// Settles every intent that a process left behind with its estimate; returns how many.
  ///
  /// Only when nothing of it is in flight any more. A second time there is nothing to do.
  ///
  /// - Parameter replica: whose intents; nil where one server has the database.
  func recover(intentsOf replica: ReplicaID? = nil) throws(LedgerError) -> Int {
    try transaction { () throws(LedgerError) in try settleIntents(of: replica).count }
  }

  /// - Returns: The requests that have been settled so.
  func settleIntents(of replica: ReplicaID?) throws(LedgerError) -> [RequestID] {
    let findIntents = try connection.prepare(InFlightStore.rowsOfReplica)
    let clear = try connection.prepare(InFlightStore.deleteRow)
    findIntents.bind(replica?.text, at: 1)
    let rows = try findIntents.rows { fields throws(LedgerError) in
      (id: fields.integer("id") ?? 0, intents: fields.text("intents") ?? "")
    }
    var recovered: [RequestID] = []
    for row in rows {
      let intents = try settlements.intents(
        in: row.intents, ofRow: row.id, passingOver: connection.unreadable)
      // A row that can't be understood stays, for somebody to look at.
      if intents.isEmpty { continue }
      for intent in intents where try settle(intent) { recovered.append(intent.row.requestID) }
      // Also a row whose intents had all ended.
      clear.bind(row.id, at: 1)
      try clear.run()
    }
    return recovered
  }

  func write(_ changes: BudgetChanges, at now: Timestamp) throws(LedgerError) {
    try transaction { () throws(LedgerError) in try budgetDefinitions.write(changes, at: now) }
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
    checkpointer?.stop()
    guard case .sqlite = connection.dialect else { return }
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  private func write(_ entry: Entry) throws(LedgerError) {
    switch entry {
    case .open(let interrupted):
      try priceVersions.keep(interrupted.row.priceVersion, interrupted.priceRecord)
      inFlight.open(interrupted)
    case .openOffline(let interrupted):
      try write(.open(interrupted: interrupted))
      shared?.reserve?.open(interrupted)
    case .settle(let settlement):
      _ = try settle(settlement)
    case .discard(let requestID):
      inFlight.discard(requestID)
      shared?.reserve?.discard(requestID)
      _ = try removeInterrupted(requestID)
    case .deferral(let request):
      providerObjects.add(request.expected.objects)
      inFlight.discard(request.requestID)
      _ = try removeInterrupted(request.requestID)
      // A spool may be replayed from an entry that came before the request's last row.
      guard try !usageLogs.contains(request.requestID) else { return }
      try deferredRequests.insert(request)
      // It has reached the provider: its place isn't free again if this replica dies.
      try shared?.conversations.begin(request.expected.row)
    case .settleDeferred(let settlement):
      for row in settlement.rows { _ = try settle(row) }
      try deferredRequests.note(settlement.progress, of: settlement.requestID)
    case .objects(let objects): providerObjects.add(objects)
    case .objectEnd(let end): providerObjects.add(end)
    }
  }

  /// False, and nothing written, when the request has its row already.
  private func settle(_ settlement: SettledRequest) throws(LedgerError) -> Bool {
    let row = settlement.row
    let charges = shared?.reserve?.end(settlement) ?? settlement.charges
    providerObjects.add(settlement.objects)
    try partitions.require(row.createdAt)
    if try partitions.hasDetachedRow(row.requestID, admittedAt: row.createdAt) {
      inFlight.settle(row.requestID)
      return false
    }
    try biller.takeTurn()
    // On PostgreSQL a request is unique only together with its instant, since usage_logs is divided
    // into months. A report that comes again at another server has another instant.
    if let claim = settlement.claim,
      try !idempotencyKeys.claim(claim, outcome: row.requestID.description)
    {
      return false
    }
    try priceVersions.keep(row.priceVersion, settlement.priceRecord)
    let accounts = try budgetAccounts.describe(settlement.charges, of: row)
    var beginsConversation = try conversations.isFirst(row)
    var id = try usageLogs.insert(
      row, beginsConversation: beginsConversation, budgetAccounts: accounts)
    if id == nil, let began = try replaceInterrupted(by: row) {
      beginsConversation = began
      id = try usageLogs.insert(
        row, beginsConversation: beginsConversation, budgetAccounts: accounts)
    }
    inFlight.settle(row.requestID)
    guard let id else { return false }
    tokenUsage.add(row, beginsConversation: beginsConversation)
    rollups.add(row, beginsConversation: beginsConversation)
    totals.add(row, id: id, upstreamMicroseconds: settlement.upstreamMicroseconds)
    try biller.count(row)
    try budgetAccounts.add(
      charges, paidByCredits: settlement.draws.reduce(0) { $0.addingSaturated($1.tokens) })
    try creditDraws.draw(settlement.draws, by: row)
    try shared?.conversations.begin(row)
    for charge in settlement.charges { try write(charge.alerts) }
    return true
  }

  /// A transaction whose sums are written before, and whose memory is corrected after its end. One
  /// that another server's transaction came in between of is made again.
  func transaction<Answer>(
    _ body: () throws(LedgerError) -> Answer
  ) throws(LedgerError) -> Answer {
    // Where many follow each other.
    keepLogShort()
    var attempts = 1
    while true {
      do {
        return try transactionOnce(body)
      } catch {
        if try partitions.makeMissing() { continue }
        guard connection.lastFailureIsWorthRepeating, attempts < DatabaseConnection.mostAttempts
        else {
          throw error
        }
        attempts += 1
      }
    }
  }

  private func transactionOnce<Answer>(
    _ body: () throws(LedgerError) -> Answer
  ) throws(LedgerError) -> Answer {
    if isUncertain { try inFlight.readLive() }
    do {
      let answer = try connection.transaction(begin: begin, commit: end) {
        () throws(LedgerError) in
        try shared?.begin()
        let answer = try body()
        try inFlight.flush()
        try tokenUsage.flush()
        try rollups.flush()
        try totals.flush()
        try budgetAccounts.flush(paidBy: shared)
        try creditDraws.flush(paidBy: shared?.creditLeases)
        try providerObjects.flush()
        return answer
      }
      inFlight.didCommit()
      biller.didCommit()
      totals.didCommit()
      shared?.didCommit()
      isUncertain = false
      return answer
    } catch {
      if connection.takeUncertainty() { isUncertain = true }
      inFlight.didRollBack()
      tokenUsage.didRollBack()
      rollups.didRollBack()
      totals.didRollBack()
      budgetAccounts.didRollBack()
      creditDraws.didRollBack()
      providerObjects.didRollBack()
      priceVersions.didRollBack()
      partitions.didRollBack()
      biller.didRollBack()
      shared?.didRollBack(isUncertain: isUncertain)
      throw error
    }
  }

  /// Callers wait for every commit: a database that is silent for so long is away.
  private static let answerTimeoutMilliseconds: Int32 = 4_000
}
