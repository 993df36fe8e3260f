package import EventLoop

/// The one who writes: takes everything that is queued, commits it at once, and tells the callers.
///
/// While a commit runs the next batch gathers by itself, so that batches grow with the load and a
/// lone request waits for nobody.
///
/// When a commit fails, the ledger is unhealthy until one succeeds. Meanwhile it tries again every
/// `retryInterval`, the spool first. Entries that can't be committed until then find another place:
/// intents are refused (or spooled, when that is the policy or the offline reserve
/// pays for them), settlements are spooled. Where even the spool can't be written, intents are
/// refused in any case, and settlements stay here and their callers wait.
package final class LedgerWriter {
  private struct Pending {
    var entry: Entry
    let reply: Reply

    var isOpening: Bool {
      if case .open = entry { true } else { false }
    }

    var isOpeningOffline: Bool {
      if case .openOffline = entry { true } else { false }
    }

    /// The entry that undoes an intent; nil if this entry is no intent.
    var discard: Entry? { entry.openedRequestID.map { .discard($0) } }
  }

  private let queue: CommandQueue
  private let health: Lock<LedgerHealth>
  private let database: LedgerDatabase
  private let spool: Spool
  private let options: ServerLedger.Options
  /// Held as long as there is a writer.
  private let lock: ServerLock
  private var pending: [Pending] = []
  private var rows = UnawaitedRows()
  private var orders: [LeaseOrder] = []
  private var notices: Set<ReplicaNotice> = []
  /// This server's place among the servers that share the ledger; nil if the ledger isn't shared.
  private let membership: Membership?
  private let bells: Bells
  private var failure: LedgerError?
  /// Since when commits have failed.
  private var failingSince: MonotonicInstant?
  private var nextPause: Duration

  /// Entries in one transaction at most, so that a caller's wait is bounded.
  static let largestBatch = 512
  private static let longestPause = Duration.seconds(2)
  /// How long a commit waits for another process while the database fails anyway: callers are
  /// waiting to be told so.
  private static let busyTimeoutWhenFailing: Int32 = 50

  /// How long intents wait for a database that others share to come back.
  static let patienceWithSharedDatabase = Duration.seconds(3)

  /// Requests of a process that was killed, which were settled with their estimates.
  let recoveredRequests: Int
  /// Entries that waited in the spool, which were written.
  let drainedEntries: Int

  /// Opens or creates the ledger, and brings to its end what an earlier process left.
  package init(
    _ options: ServerLedger.Options, queue: CommandQueue, health: Lock<LedgerHealth>,
    bells: Bells, membership: Membership? = nil,
    recorded: Lock<RecordedUsage> = Lock(RecordedUsage()),
    modelLabel: @escaping @Sendable (String, String) -> String = { model, _ in model },
    unreadable: UnreadableRows = UnreadableRows()
  ) throws(LedgerError) {
    let lock = try ServerLock(of: options.location)
    let (spool, abandoned) = try Spool.claim(options)
    let database = try LedgerDatabase(
      options, membership: membership, spool: spool.address, recorded: recorded,
      modelLabel: modelLabel, unreadable: unreadable)
    var (drained, recovered) = (0, 0)
    // Its own comes last: the reserve that belongs to it is the one that this server goes on with.
    for waiting in abandoned + [spool] {
      drained += waiting.entryCount
      recovered += try database.inherit(waiting)
    }
    drainedEntries = drained
    recoveredRequests = recovered
    self.queue = queue
    self.health = health
    self.database = database
    self.spool = spool
    self.lock = lock
    self.options = options
    self.bells = bells
    self.membership = membership
    nextPause = options.retryInterval
  }

  /// Has the write-ahead log copied into the file by another thread than this writer's.
  func startCheckpointer() throws(LedgerError) {
    try database.startCheckpointer(options)
  }

  /// Works until the queue is closed and all of it is written, or a last attempt has failed.
  func run() {
    var isLast = false
    while !isLast {
      let work = failure == nil ? queue.take() : takeWhenDue()
      isLast = work.isLast
      carryOut(work)
    }
    for entry in pending { entry.reply(.failure(failure ?? .closed)) }
    pending = []
    for order in orders { order.reply(.failure(failure ?? .closed)) }
    orders = []
    // All of them only save the next start some work: all is in the write-ahead log.
    try? database.writeTotals()
    try? database.checkpoint()
    if failure == nil { try? database.leave() }
  }

  /// One round: commits what there is, or finds another place for it.
  package func carryOut(_ work: Work) {
    // Those that could not be written wait here, within the same bound as in the queue.
    queue.countDropped(rows.keep(work.rows))
    notices.formUnion(work.notices)
    write(work.commands)
    if failure == nil { queue.didCatchUp() }
  }

  /// Waits for the next attempt and returns the work for it. Until then, on a shared database, the
  /// writer spools what policy allows, so that no caller waits for the attempt in vain.
  private func takeWhenDue() -> Work {
    let pause = retryPause()
    guard membership != nil else {
      // A signal may cut it short: then the next attempt is made earlier.
      Thread.pause(for: pause)
      return queue.takeAtOnce()
    }
    let due = MonotonicInstant.now().advanced(by: pause)
    var work = Work()
    while !work.isLast, work.commands.count < CommandQueue.largestCommandCount,
      let more = queue.take(before: due)
    {
      queue.countDropped(work.add(more))
      spoolAhead(&work)
    }
    return work
  }

  /// Spools what may be. Intents that may not wait for the attempt, and so does all else.
  private func spoolAhead(_ work: inout Work) {
    var others: [WriterCommand] = []
    for command in work.commands {
      if case .write(let entry, let reply) = command {
        pending.append(Pending(entry: entry, reply: reply))
      } else {
        others.append(command)
      }
    }
    work.commands = others
    if let failure { admitOffline(during: failure) }
    let openings = mayOpenIntoSpool ? [] : takeOpenings()
    switch spoolPending([]) {
    case .success(let entries): for entry in entries { entry.reply(.success(())) }
    case .failure(let error):
      for entry in withdrawOffline() { entry.reply(.failure(error)) }
    }
    pending += openings
    if let failure { report(failure) }
  }

  /// As long as a shared database can't be reached, its servers ask it less and less often.
  private func retryPause() -> Duration {
    guard case .postgresql = options.location else { return options.retryInterval }
    defer { nextPause = min(nextPause * 2, max(LedgerWriter.longestPause, nextPause)) }
    return nextPause
  }

  private func write(_ commands: [WriterCommand]) {
    var declarations: [WriterCommand] = []
    for command in commands {
      switch command {
      case .write(let entry, let reply): pending.append(Pending(entry: entry, reply: reply))
      case .writeBudgets, .syncBilling: declarations.append(command)
      case .lease(let order): orders.append(order)
      }
    }
    do {
      try heed()
      if !spool.isEmpty {
        try spool.drain { lines throws(LedgerError) in try database.replay(lines) }
      }
      try commitPending()
      try commitLeases()
      try take(&declarations)
    } catch {
      if error == .takenForDead { notices.insert(.takenForDead(membership?.id)) }
      setAside(error)
      for command in declarations { command.reply(.failure(error)) }
    }
  }

  private func commitLeases() throws(LedgerError) {
    guard !orders.isEmpty else { return }
    let outcomes = try database.lease(orders)
    for (order, outcome) in zip(orders, outcomes) { order.reply(.success(outcome)) }
    orders = []
  }

  /// Does what the replica's keeper asks for.
  private func heed() throws(LedgerError) {
    while let notice = notices.first {
      switch notice {
      case .takenForDead(let former):
        if former == membership?.id { try rejoin() }
      case .dead(let replica): inherit(try database.takeOver(replica))
      case .orphans: inherit(try database.adoptOrphans())
      case .wanted(let source): try database.giveBackReserve(of: source)
      }
      notices.remove(notice)
    }
  }

  private func inherit(_ requests: [DeferredRequest]) {
    if !requests.isEmpty { membership?.tell { $0.inherited(requests) } }
  }

  /// Requests that were let in on leases that are gone must not be forwarded.
  private func rejoin() throws(LedgerError) {
    try database.rejoin()
    membership?.tell { $0.takenForDead() }
    for entry in takeOpenings() { entry.reply(.failure(.takenForDead)) }
    for order in orders { order.reply(.failure(.takenForDead)) }
    orders = []
  }

  private func commitPending() throws(LedgerError) {
    // After a failure also when nothing waits: to see whether the database can be written again.
    while !pending.isEmpty || !rows.isEmpty || failure != nil {
      let batch = pending.prefix(LedgerWriter.largestBatch)
      if batch.isEmpty, rows.isEmpty {
        try database.probe()
      } else {
        try database.commit(batch.lazy.map(\.entry), rows)
      }
      if failure != nil { report(nil) }
      rows.removeAll()
      for entry in batch { entry.reply(.success(())) }
      pending.removeFirst(batch.count)
      ringBells()
      database.keepLogShort()
    }
  }

  private func ringBells() {
    if database.takeAlertsWritten() { bells.alerts.ring() }
    if database.takeChargesWritten() { bells.charges.ring() }
  }

  /// Takes over what the configuration declares, one by one.
  private func take(_ declarations: inout [WriterCommand]) throws(LedgerError) {
    while let command = declarations.first {
      switch command {
      case .writeBudgets(let changes, let now, _):
        try database.write(changes, at: now)
      case .syncBilling(let agreements, let now, _):
        try database.syncBilling(agreements, at: now)
        ringBells()
      case .write, .lease: break
      }
      command.reply(.success(()))
      declarations.removeFirst()
    }
  }

  /// Finds another place for what could not be committed, and tells who can be told.
  private func setAside(_ error: LedgerError) {
    admitOffline(during: error)
    let waiting = takeWaiting()
    defer { pending += waiting }
    var refused = mayOpenIntoSpool ? [] : takeOpenings()
    for order in orders { order.reply(.failure(error)) }
    orders = []
    var reason = error
    // Those that may have been committed all the same must not be found as if they had begun.
    let discards = database.isUncertain ? refused.compactMap(\.discard) : []
    var spooled: [Pending] = []
    switch spoolPending(discards) {
    case .success(let entries): spooled = entries
    case .failure(let error):
      // Nothing may begin that can be written nowhere. Entries of work that has begun stay here,
      // and their callers wait for the next attempt.
      refused += withdrawOffline() + takeOpenings()
      reason = error
    }
    report(error)
    for entry in refused { entry.reply(.failure(reason)) }
    for entry in spooled { entry.reply(.success(())) }
  }

  /// Puts all that waits into the spool, or nothing.
  ///
  /// - Returns: Those whose callers are to be told.
  private func spoolPending(_ discards: [Entry]) -> Result<[Pending], LedgerError> {
    let entries = pending.map(\.entry) + discards
    do {
      if !entries.isEmpty { try spool.append(entries, of: membership?.id) }
    } catch {
      return .failure(error)
    }
    for entry in pending { database.didSpool(entry.entry) }
    defer { pending = [] }
    return .success(pending)
  }

  /// Lets those in at once that the offline reserve pays for, where the ledger can't be asked.
  private func admitOffline(during failure: LedgerError) {
    guard !mayOpenIntoSpool, case .unavailable = failure else { return }
    for index in pending.indices {
      guard case .open(let interrupted) = pending[index].entry,
        database.admitOffline(interrupted)
      else { continue }
      pending[index].entry = .openOffline(interrupted: interrupted)
    }
  }

  private func withdrawOffline() -> [Pending] {
    let withdrawn = pending.filter(\.isOpeningOffline)
    pending.removeAll(where: \.isOpeningOffline)
    for discard in withdrawn.compactMap(\.discard) { database.didSpool(discard) }
    return withdrawn
  }

  /// Whether intents that can't be committed may begin all the same.
  private var mayOpenIntoSpool: Bool { options.onFailure == .allow }

  /// Intents that can wait a little for a database that fails over: others might take this replica
  /// for dead meanwhile, and what it forwarded then would stand on no lease.
  private func takeWaiting() -> [Pending] {
    guard membership != nil, !mayOpenIntoSpool else { return [] }
    let now = MonotonicInstant.now()
    let since = failingSince ?? now
    failingSince = since
    guard now.elapsed(since: since) < LedgerWriter.patienceWithSharedDatabase else { return [] }
    return takeOpenings()
  }

  private func takeOpenings() -> [Pending] {
    defer { pending.removeAll(where: \.isOpening) }
    return pending.filter(\.isOpening)
  }

  private func report(_ error: LedgerError?) {
    failure = error
    if error == nil {
      failingSince = nil
      nextPause = options.retryInterval
    }
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

extension WriterCommand {
  fileprivate var reply: Reply {
    switch self {
    case .write(_, let reply), .writeBudgets(_, _, let reply), .syncBilling(_, _, let reply): reply
    case .lease(let order): { order.reply($0.map { LeaseOutcome() }) }
    }
  }
}
