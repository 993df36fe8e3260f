package import EventLoop
internal import Glibc

/// The one who writes: takes everything that is queued, commits it at once, and tells the callers.
///
/// While a commit runs the next batch gathers by itself, so that batches grow with the load and a
/// lone request waits for nobody.
///
/// When a commit fails, the ledger is unhealthy until one succeeds. Meanwhile it tries again every
/// `retryInterval`, the spool first. What has come until then and can't be committed either finds
/// another place: intents are refused (or spooled, when that is the policy), settlements are
/// spooled. Where even the spool can't be written, intents are refused in any case, and
/// settlements stay here and their callers wait.
package final class LedgerWriter {
  private struct Pending {
    let entry: Entry
    let reply: Reply

    var isOpening: Bool {
      if case .open = entry { true } else { false }
    }
  }

  private let queue: CommandQueue
  private let health: Lock<LedgerHealth>
  private let database: LedgerDatabase
  private let spool: Spool
  private let options: SQLiteLedger.Options
  /// Held as long as there is a writer.
  private let lock: ServerLock
  private var pending: [Pending] = []
  private var denials: [DenialRow] = []
  private var alerts: [Alert] = []
  private var unpricedModels: [UnpricedModel] = []
  private let bells: Bells
  private var failure: LedgerError?

  /// Entries in one transaction at most, so that a caller's wait is bounded.
  static let largestBatch = 512
  /// How long a commit waits for another process while the database fails anyway: callers are
  /// waiting to be told so.
  private static let busyTimeoutWhenFailing: Int32 = 50

  /// Requests of a process that was killed, which were settled with their estimates.
  let recoveredRequests: Int
  /// Entries that waited in the spool, which were written.
  let drainedEntries: Int

  /// Opens or creates the ledger, and brings to its end what an earlier process left.
  package init(
    _ options: SQLiteLedger.Options, queue: CommandQueue, health: Lock<LedgerHealth>,
    bells: Bells, recorded: Lock<RecordedUsage> = Lock(RecordedUsage()),
    modelLabel: @escaping @Sendable (String, String) -> String = { model, _ in model }
  ) throws(LedgerError) {
    let lock = try ServerLock(ledgerPath: options.path)
    let database = try LedgerDatabase(
      options, recorded: recorded, modelLabel: modelLabel)
    let spool = try Spool(options)
    // First what is known exactly, then estimates for the rest.
    drainedEntries = spool.entryCount
    try spool.drain { lines throws(LedgerError) in try database.replay(lines) }
    recoveredRequests = try database.recover()
    self.queue = queue
    self.health = health
    self.database = database
    self.spool = spool
    self.lock = lock
    self.options = options
    self.bells = bells
  }

  /// Works until the queue is closed and all of it is written, or a last attempt has failed.
  func run() {
    var isLast = false
    while !isLast {
      if failure != nil { pause(for: options.retryInterval) }
      let work = failure == nil ? queue.take() : queue.takeAtOnce()
      isLast = work.isLast
      carryOut(work)
    }
    for entry in pending { entry.reply(.failure(failure ?? .closed)) }
    pending = []
    // Both only save the next start some work: all is in the write-ahead log.
    try? database.writeTotals()
    try? database.checkpoint()
  }

  /// One round: commits what there is, or finds another place for it.
  package func carryOut(_ work: Work) {
    keep(work.denials, among: &denials, atMost: CommandQueue.largestDenialCount)
    keep(work.alerts, among: &alerts, atMost: CommandQueue.largestAlertCount)
    keep(
      work.unpricedModels, among: &unpricedModels,
      atMost: CommandQueue.largestUnpricedModelCount)
    write(work.commands)
    if failure == nil { queue.didCatchUp() }
  }

  private func pause(for duration: Duration) {
    let (seconds, attoseconds) = duration.components
    var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    // A signal may cut it short: then the next attempt is made earlier.
    unsafe nanosleep(&time, nil)
  }

  /// Those that could not be written wait here, within the same bound as in the queue.
  private func keep<Row>(_ arrived: [Row], among rows: inout [Row], atMost limit: Int) {
    let room = limit - rows.count
    rows.append(contentsOf: arrived.prefix(room))
    if arrived.count > room { queue.countDropped(arrived.count - room) }
  }

  private func write(_ commands: [Command]) {
    var declarations: [Command] = []
    for command in commands {
      switch command {
      case .write(let entry, let reply): pending.append(Pending(entry: entry, reply: reply))
      case .syncBudgets, .syncBilling: declarations.append(command)
      }
    }
    do {
      if !spool.isEmpty {
        try spool.drain { lines throws(LedgerError) in try database.replay(lines) }
      }
      try commitPending()
      try take(&declarations)
    } catch {
      setAside(error)
      for command in declarations { command.reply(.failure(error)) }
    }
  }

  private func commitPending() throws(LedgerError) {
    // After a failure also when nothing waits: to see whether the database can be written again.
    while !pending.isEmpty || hasRows || failure != nil {
      let batch = pending.prefix(LedgerWriter.largestBatch)
      try database.commit(
        batch.lazy.map(\.entry), denials: denials, alerts: alerts, unpriced: unpricedModels)
      if failure != nil { report(nil) }
      denials.removeAll(keepingCapacity: true)
      alerts.removeAll()
      unpricedModels.removeAll()
      for entry in batch { entry.reply(.success(())) }
      pending.removeFirst(batch.count)
      ringBells()
    }
  }

  /// Whether there is something that nobody waits for.
  private var hasRows: Bool { !denials.isEmpty || !alerts.isEmpty || !unpricedModels.isEmpty }

  private func ringBells() {
    if database.takeAlertsWritten() { bells.alerts.ring() }
    if database.takeChargesWritten() { bells.charges.ring() }
  }

  /// Takes over what the configuration declares, one by one.
  private func take(_ declarations: inout [Command]) throws(LedgerError) {
    while let command = declarations.first {
      switch command {
      case .syncBudgets(let definitions, let now, _):
        try database.syncBudgets(definitions, at: now)
      case .syncBilling(let agreements, let now, _):
        try database.syncBilling(agreements, at: now)
        ringBells()
      case .write: break
      }
      command.reply(.success(()))
      declarations.removeFirst()
    }
  }

  /// Finds another place for what could not be committed, and tells who can be told.
  private func setAside(_ error: LedgerError) {
    var refused = options.onFailure == .deny ? takeOpenings() : []
    var spooled: [Pending] = []
    var reason = error
    do {
      if !pending.isEmpty { try spool.append(pending.map(\.entry)) }
      swap(&spooled, &pending)
    } catch {
      // Nothing may begin that can be written nowhere. What has begun stays here, and its callers
      // wait for the next attempt.
      refused += takeOpenings()
      reason = error
    }
    report(error)
    for entry in refused { entry.reply(.failure(reason)) }
    for entry in spooled { entry.reply(.success(())) }
  }

  private func takeOpenings() -> [Pending] {
    defer { pending.removeAll(where: \.isOpening) }
    return pending.filter(\.isOpening)
  }

  private func report(_ error: LedgerError?) {
    failure = error
    database.connection.setBusyTimeout(
      milliseconds: error == nil
        ? options.busyTimeoutMilliseconds
        : min(options.busyTimeoutMilliseconds, LedgerWriter.busyTimeoutWhenFailing))
    let spooled = spool.entryCount
    health.withLock { health in
      health.failure = error?.description
      health.spooledEntries = spooled
    }
  }
}

extension Command {
  fileprivate var reply: Reply {
    switch self {
    case .write(_, let reply), .syncBudgets(_, _, let reply), .syncBilling(_, _, let reply): reply
    }
  }
}
