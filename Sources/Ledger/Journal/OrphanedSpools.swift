internal import EventLoop

/// Processes the spools of dead servers on this machine.
///
/// Other machines can't distinguish a dead server from a disconnected one. A server that gets the
/// lock of another server's spool knows that the other process has ended. It writes the entries
/// that the other server spooled while the ledger was unavailable, and gives its offline reserve
/// back. The dead server needn't be started again for that.
final class OrphanedSpools: Sendable {
  private let options: ServerLedger.Options
  private let membership: Membership
  private let bells: Bells
  /// Failures that were logged, so that a lasting failure is logged once.
  private let complaints = Lock<Set<String>>([])
  /// The current or the last thread.
  private let thread = Lock<Thread?>(nil)
  private let isAtWork = Lock(false)

  init(_ options: ServerLedger.Options, _ membership: Membership, bells: Bells) {
    self.options = options
    self.membership = membership
    self.bells = bells
  }

  /// Processes the spools that are within reach and that no server holds. Returns at once. The next
  /// call retries failures.
  func inherit(_ spools: [SpoolAddress]) {
    let spools = spools.filter { $0.id.names(spoolAt: $0.path, for: options.location) }
    let begins = isAtWork.withLock { isAtWork in
      guard !isAtWork, !spools.isEmpty else { return false }
      isAtWork = true
      return true
    }
    guard begins else { return }
    stop()
    do {
      let started = try Thread(name: "orphans") { [self] in
        for spool in spools { inheritOrTell(spool) }
        isAtWork.withLock { $0 = false }
      }
      thread.withLock { $0 = started }
    } catch {
      isAtWork.withLock { $0 = false }
    }
  }

  /// Waits for the current work and returns.
  func stop() {
    thread.withLock { $0.take() }?.join()
  }

  private func inheritOrTell(_ address: SpoolAddress) {
    do {
      try inherit(address)
    } catch {
      let complaint = "\(address.path): \(error)"
      guard complaints.withLock({ $0.insert(complaint).inserted }) else { return }
      membership.tell { $0.notInherited(address.path, error) }
    }
  }

  /// Does the work of a server that starts in the spool's working directory and stops at once.
  private func inherit(_ address: SpoolAddress) throws(LedgerError) {
    guard let spool = try Spool.left(at: address, options) else { return }
    let database = try LedgerDatabase(
      options, membership: Membership(name: membership.name), spool: address)
    _ = try database.inherit(spool)
    try database.leave()
    bells.alerts.ring()
    bells.charges.ring()
  }
}
