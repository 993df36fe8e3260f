package import EventLoop

/// A worker that empties an outbox: it attempts each item that is due, some at a time, and notes
/// how each attempt ended. Failed attempts are due again later, also after a restart, because the
/// whole state is in rows.
///
/// It runs on Swift's own threads, because the ledger blocks, and no request ever waits for it.
package protocol OutboxWorker: Actor {
  associatedtype Item: Identifiable, Sendable where Item.ID: Sendable
  associatedtype Outcome: Sendable

  nonisolated var bell: WorkBell { get }
  var attempts: OngoingAttempts<Item.ID> { get set }

  /// Starts the attempts that are due, by `start(_:)`. Returns the pause until the next one; nil if
  /// none is known.
  func startDue() throws(LedgerError) -> Duration?

  /// Claims an item for this server; returns false if another server has it.
  func claim(_ item: Item) throws(LedgerError) -> Bool

  func attempt(_ item: Item) async -> Outcome

  /// Whether the stop may have canceled the attempt. Then it isn't an attempt, and is repeated.
  func mayBeCanceled(_ outcome: Outcome) -> Bool

  func note(_ outcome: Outcome, of item: Item) throws(LedgerError)

  nonisolated func logUnavailable(_ error: LedgerError)

  /// Cancels the attempts that are under way.
  func cancelAttempts() async

  /// Signals that there may be work.
  nonisolated func ring()
}

/// The attempts of a worker that are under way.
package struct OngoingAttempts<ID: Hashable & Sendable> {
  fileprivate var tasks: [ID: Task<Void, Never>] = [:]
  fileprivate var isStopped = false

  package init() {}
}

/// The most simultaneous attempts of one kind.
package let mostAttemptsAtOnce = 4
/// The longest pause without work, because another server may have died and left items.
private let longestPause = Duration.seconds(60)
/// The pause if the ledger can't be used.
private let ledgerPause = Duration.seconds(1)

extension OutboxWorker {
  /// Works until it is stopped.
  package func run() async {
    ring()
    for await _ in bell.rings {
      if attempts.isStopped { return }
      do throws(LedgerError) {
        bell.ring(after: min(try startDue() ?? longestPause, longestPause))
      } catch {
        logUnavailable(error)
        bell.ring(after: ledgerPause)
      }
    }
  }

  /// Starts no further attempt, cancels those under way, and waits for their ends. The next start
  /// repeats them.
  package func stop() async {
    attempts.isStopped = true
    bell.close()
    await cancelAttempts()
    for task in attempts.tasks.values { await task.value }
  }

  /// Starts attempts at items that are due. Items that are under way, or claimed by another server,
  /// are passed over.
  ///
  /// - Parameter isOfKind: Whether an attempt counts toward the limit.
  package func start(
    _ due: [Item], among isOfKind: (Item.ID) -> Bool = { _ in true }
  ) throws(LedgerError) {
    for item in due where attempts.tasks[item.id] == nil {
      guard attempts.tasks.keys.count(where: isOfKind) < mostAttemptsAtOnce else { return }
      guard try claim(item) else { continue }
      attempts.tasks[item.id] = Task { await complete(item) }
    }
  }

  private func complete(_ item: Item) async {
    let outcome = await attempt(item)
    defer { attempts.tasks[item.id] = nil }
    if attempts.isStopped, mayBeCanceled(outcome) { return }
    do throws(LedgerError) {
      try note(outcome, of: item)
      ring()
    } catch {
      // The row still says that the item is due, so it is attempted again.
      logUnavailable(error)
      bell.ring(after: ledgerPause)
    }
  }
}
