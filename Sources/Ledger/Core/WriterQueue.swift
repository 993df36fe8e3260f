package import Budgets
package import EventLoop
package import Time

/// How the writer tells who gave a command what became of it: called once.
package typealias Reply = @Sendable (Result<Void, LedgerError>) -> Void

/// A request of a caller to the writer.
package enum WriterCommand: Sendable {
  case write(Entry, Reply)
  case writeBudgets(BudgetChanges, at: Timestamp, Reply)
  case syncBilling([BillingAgreement], at: Timestamp, Reply)
  /// Draws leases, asks for permits and gives others back, where limits are shared.
  case lease(LeaseOrder)
}

/// A change to a replica's leases and to what it is permitted, and who is told of it.
package struct LeaseOrder: Sendable {
  package var draws: [LeaseRequest] = []
  package var returns: [LeaseReturn] = []
  package var conversations: [ConversationRequest] = []
  package var conversationReturns: [ConversationReturn] = []
  package let reply: @Sendable (Result<LeaseOutcome, LedgerError>) -> Void
}

/// The result of a `LeaseOrder`: an answer to each of its questions, in their order.
package struct LeaseOutcome: Sendable {
  package var leases: [LeaseAnswer] = []
  package var conversations: [ConversationAnswer] = []
}

/// A finding of the replica's keeper that the writer acts upon.
enum ReplicaNotice: Hashable, Sendable {
  /// This replica, under this name, has been taken for dead.
  case takenForDead(ReplicaID?)
  /// Another one is dead.
  case dead(ReplicaID)
  /// Deferred requests may have nobody who follows them.
  case orphans
  /// Others wait for what this replica has of it.
  case wanted(LeaseSourceID)
}

/// The work that the writer takes from the queue at once.
package struct Work: Sendable {
  var commands: [WriterCommand] = []
  var rows = UnawaitedRows()
  /// The findings of the replica's keeper.
  var notices: Set<ReplicaNotice> = []
  /// Nothing more will come.
  var isLast = false

  /// Adds what came later, as far as there is room.
  ///
  /// - Returns: How many rows there was no room for.
  mutating func add(_ later: Work) -> Int {
    defer { isLast = later.isLast }
    commands += later.commands
    notices.formUnion(later.notices)
    return rows.keep(later.rows)
  }

  var isEmpty: Bool { commands.isEmpty && rows.isEmpty && notices.isEmpty }
}

/// Where callers leave their commands and the writer's thread picks them up.
///
/// The writer is woken once for all that a turn of an event loop leaves here: a commit for each
/// command would cost several times as much as one for them all.
///
/// It is bounded: an intent is refused when too many wait, a denial is dropped and counted.
/// Settlements are never refused; each belongs to an intent that was let in.
package final class CommandQueue: Sendable {
  private struct State {
    var work = Work()
    var droppedDenials = 0
    /// Somebody who left something here will wake the writer.
    var isWakingDue = false
    var isFinished = false
    var closers: [CheckedContinuation<Void, Never>] = []
    /// When the oldest of what waits here came.
    var waitingSince: MonotonicInstant?
    /// When the oldest came of what was taken and isn't written yet.
    var takenSince: MonotonicInstant?

    mutating func take() -> Work {
      defer {
        takenSince = takenSince ?? waitingSince
        waitingSince = nil
        work = Work(isLast: work.isLast)
        isWakingDue = false
      }
      return work
    }

    /// Whether the caller is the one to wake the writer.
    mutating func claimWaking() -> Bool {
      if waitingSince == nil { waitingSince = .now() }
      defer { isWakingDue = true }
      return !isWakingDue
    }
  }

  static let largestCommandCount = 65_536

  private let state = Monitor(State())

  package init() {}

  /// Why a command was not taken.
  package enum Refusal {
    case closed
    case full
  }

  /// Nil when the command was taken.
  package func submit(_ command: WriterCommand) -> Refusal? {
    var wakes = false
    let refusal = state.withLock { state -> Refusal? in
      if state.work.isLast { return .closed }
      if case .write(.open, _) = command,
        state.work.commands.count >= CommandQueue.largestCommandCount
      {
        return .full
      }
      state.work.commands.append(command)
      wakes = state.claimWaking()
      return nil
    }
    if wakes { wakeWriter() }
    return refusal
  }

  private func wakeWriter() {
    if let loop = EventLoop.current {
      loop.atEndOfTurn { [self] in state.signal() }
    } else {
      state.signal()
    }
  }

  /// Dropped and counted when too many wait, or after the end.
  func submit(_ denial: DenialRow) {
    submit(denial, to: \.denials, atMost: UnawaitedRows.largestDenialCount)
  }

  /// Dropped and counted when too many wait, or after the end.
  package func submit(_ alert: Alert) {
    submit(alert, to: \.alerts, atMost: UnawaitedRows.largestAlertCount)
  }

  /// Dropped and counted when too many prices wait, or after the end.
  func submit(_ sighting: MissingPriceSighting) {
    submit { work in work.rows.missingPrices.add(sighting) }
  }

  /// Dropped and counted when too many wait, or after the end.
  package func submit(_ pause: LimitPause) {
    submit(pause, to: \.limitPauses, atMost: UnawaitedRows.largestLimitPauseCount)
  }

  private func submit<Row: Sendable>(
    _ row: Row, to rows: WritableKeyPath<UnawaitedRows, [Row]>, atMost limit: Int
  ) {
    submit { work in
      guard work.rows[keyPath: rows].count < limit else { return false }
      work.rows[keyPath: rows].append(row)
      return true
    }
  }

  /// - Parameter add: Returns false where there is no room.
  private func submit(_ add: (inout Work) -> Bool) {
    let wakes = state.withLock { state in
      guard !state.work.isLast, add(&state.work) else {
        state.droppedDenials += 1
        return false
      }
      return state.claimWaking()
    }
    if wakes { wakeWriter() }
  }

  /// Tells the writer something about replicas; once is enough.
  func notice(_ notice: ReplicaNotice) {
    let wakes = state.withLock { state in
      guard !state.work.isLast else { return false }
      state.work.notices.insert(notice)
      return state.claimWaking()
    }
    if wakes { wakeWriter() }
  }

  /// The writer has written all that it took.
  func didCatchUp() {
    state.withLock { $0.takenSince = nil }
  }

  /// For how long the oldest thing has waited that isn't written yet; zero where there is none.
  package func lag(at now: MonotonicInstant) -> Duration {
    let since = state.withLock { $0.takenSince ?? $0.waitingSince }
    return since.map { max(.zero, now.elapsed(since: $0)) } ?? .zero
  }

  /// Counts rows that nobody waits for and that the writer had to drop.
  func countDropped(_ count: Int) {
    state.withLock { $0.droppedDenials += count }
  }

  var droppedDenials: Int { state.withLock { $0.droppedDenials } }

  /// Waits until there is work.
  func take() -> Work {
    state.wait { state -> Work? in
      let work = state.work
      guard !work.isEmpty || work.isLast else { return nil }
      return state.take()
    }
  }

  /// The same until `due`; nil where nothing has come by then.
  func take(before due: MonotonicInstant) -> Work? {
    state.wait(until: due) { state -> Work? in
      let work = state.work
      guard !work.isEmpty || work.isLast else { return nil }
      return state.take()
    }
  }

  /// Takes the work that is there, without waiting. It may be empty.
  package func takeAtOnce() -> Work {
    state.withLock { $0.take() }
  }

  /// Lets nothing more in; `closer` is resumed when the writer has finished.
  func close(_ closer: CheckedContinuation<Void, Never>?) {
    let isFinished = state.withLock { state in
      state.work.isLast = true
      if !state.isFinished, let closer { state.closers.append(closer) }
      return state.isFinished
    }
    state.signal()
    if isFinished { closer?.resume() }
  }

  /// The writer's last word.
  func finish() {
    let closers = state.withLock { state in
      state.isFinished = true
      defer { state.closers = [] }
      return state.closers
    }
    for closer in closers { closer.resume() }
  }
}

/// Tells who carries on with what the writer has written that there is something.
package final class Bell: Sendable {
  private let action = Lock<(@Sendable () -> Void)?>(nil)

  package init() {}

  func answer(by action: @escaping @Sendable () -> Void) {
    self.action.withLock { $0 = action }
  }

  func ring() {
    action.withLock { $0 }?()
  }
}

/// The writer's bells.
package struct Bells: Sendable {
  /// Rung when alerts have been written.
  let alerts = Bell()
  /// Rung when charges have been written.
  let charges = Bell()

  package init() {}
}
