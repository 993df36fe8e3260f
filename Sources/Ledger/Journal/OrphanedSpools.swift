internal import EventLoop

/// Brings to its end what servers on this machine have left that are gone.
///
/// Others can't tell the dead from the cut off; but who gets the lock of a server's spool knows
/// that its process is over. So what it served without the ledger is written, and its offline
/// reserve is given back, although it isn't started again.
final class OrphanedSpools: Sendable {
  private let options: ServerLedger.Options
  private let membership: Membership
  private let bells: Bells
  /// What was told already, since it may go on for long.
  private let complaints = Lock<Set<String>>([])
  /// The one at work, or the last.
  private let thread = Lock<Thread?>(nil)
  private let isAtWork = Lock(false)

  init(_ options: ServerLedger.Options, _ membership: Membership, bells: Bells) {
    self.options = options
    self.membership = membership
    self.bells = bells
  }

  /// Inherits those of the spools that are within reach and that nobody holds; returns at once.
  /// What fails is tried again by the next call.
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

  /// Returns when nothing is under way.
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

  /// As a start in its working directory would, which stops at once.
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
