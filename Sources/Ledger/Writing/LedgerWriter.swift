internal import EventLoop

/// The one who writes: takes everything that is queued, commits it at once, and tells the callers.
///
/// While a commit runs the next batch gathers by itself, so that batches grow with the load and a
/// lone request waits for nobody.
///
/// When a commit fails, the ledger is unhealthy until one succeeds. Meanwhile intents are refused
/// (or spooled, when that is the policy); settlements go to the spool, and where even that fails
/// they stay here and their callers wait. Every `retryInterval` it tries again, the spool first.
final class LedgerWriter {
  private struct Pending {
    let entry: Entry
    let waiter: Waiter
  }

  private let queue: CommandQueue
  private let health: Lock<LedgerHealth>
  private let database: LedgerDatabase
  private let spool: Spool
  private let options: SQLiteLedger.Options
  /// Held as long as there is a writer.
  private let lock: ServerLock
  private let clock = ContinuousClock()
  private var pending: [Pending] = []
  private var denials: [DenialRow] = []
  private var failure: (error: LedgerError, retryAt: ContinuousClock.Instant)?

  /// Entries in one transaction at most, so that a caller's wait is bounded.
  static let largestBatch = 512

  init(
    queue: CommandQueue, health: Lock<LedgerHealth>, database: LedgerDatabase, spool: Spool,
    lock: consuming ServerLock, options: SQLiteLedger.Options
  ) {
    self.queue = queue
    self.health = health
    self.database = database
    self.spool = spool
    self.lock = lock
    self.options = options
  }

  /// Works until the queue is closed; returns when the file is closed too.
  func run() {
    var isLast = false
    while !isLast {
      let work = queue.take(waitingAtMost: sleepLimit, takesDenials: denials.isEmpty)
      denials.append(contentsOf: work.denials)
      isLast = work.isLast
      // The last attempt is made even when a pause after a failure has not passed.
      write(work.commands, isDue: isLast || isRetryDue)
    }
    for entry in pending {
      entry.waiter.resume(returning: .failure(failure?.error ?? .closed))
    }
    pending = []
    // It only saves the next start some work: all is in the write-ahead log.
    try? database.checkpoint()
  }

  /// How long to sleep without work: until the next attempt when something waits for it.
  private var sleepLimit: Duration? {
    guard let failure else { return nil }
    return max(.zero, failure.retryAt - clock.now)
  }

  private var isRetryDue: Bool {
    guard let failure else { return true }
    return clock.now >= failure.retryAt
  }

  private func write(_ commands: [Command], isDue: Bool) {
    var budgets: [Command] = []
    for command in commands {
      switch command {
      case .write(let entry, let waiter): pending.append(Pending(entry: entry, waiter: waiter))
      case .syncBudgets: budgets.append(command)
      }
    }
    do throws(LedgerError) {
      if let failure, !isDue { throw failure.error }
      if !spool.isEmpty {
        try spool.drain { lines throws(LedgerError) in try database.replay(lines) }
      }
      try commitPending()
      try syncBudgets(&budgets)
      report(nil)
    } catch {
      if isDue { report(error) }
      setAside(error)
      for command in budgets { command.waiter.resume(returning: .failure(error)) }
    }
  }

  private func commitPending() throws(LedgerError) {
    while !pending.isEmpty || !denials.isEmpty {
      let batch = pending.prefix(LedgerWriter.largestBatch)
      try database.commit(batch.lazy.map(\.entry), denials: denials)
      denials.removeAll(keepingCapacity: true)
      for entry in batch { entry.waiter.resume(returning: .success(())) }
      pending.removeFirst(batch.count)
    }
  }

  private func syncBudgets(_ commands: inout [Command]) throws(LedgerError) {
    while case .syncBudgets(let definitions, let now, let waiter) = commands.first {
      try database.syncBudgets(definitions, at: now)
      waiter.resume(returning: .success(()))
      commands.removeFirst()
    }
  }

  /// Finds another place for what could not be committed.
  private func setAside(_ error: LedgerError) {
    if options.onFailure == .deny {
      pending.removeAll { entry in
        guard case .open = entry.entry else { return false }
        entry.waiter.resume(returning: .failure(error))
        return true
      }
    }
    guard !pending.isEmpty else { return }
    do {
      try spool.append(pending.map(\.entry))
    } catch {
      // They stay here, and their callers wait for the next attempt.
      return
    }
    for entry in pending { entry.waiter.resume(returning: .success(())) }
    pending = []
    let spooled = spool.entryCount
    health.withLock { $0.spooledEntries = spooled }
  }

  private func report(_ error: LedgerError?) {
    let wasHealthy = failure == nil
    failure = error.map { ($0, clock.now + options.retryInterval) }
    if wasHealthy, error == nil { return }
    let spooled = spool.entryCount
    health.withLock { health in
      health.failure = error?.description
      health.spooledEntries = spooled
    }
  }
}

extension Command {
  fileprivate var waiter: Waiter {
    switch self {
    case .write(_, let waiter), .syncBudgets(_, _, let waiter): waiter
    }
  }
}
