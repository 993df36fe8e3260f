/// Whether a ledger can be written, for readiness checks and metrics.
public struct LedgerHealth: Hashable, Sendable {
  /// Why the last attempt to write failed; nil while writing works.
  public var failure: String?
  /// Entries in the spool file that wait to be written to the database.
  public var spooledEntries: Int
  /// Refusals and alerts that were dropped, since the start, because too many waited to be written.
  public var droppedDenials: Int

  public init(failure: String? = nil, spooledEntries: Int = 0, droppedDenials: Int = 0) {
    self.failure = failure
    self.spooledEntries = spooledEntries
    self.droppedDenials = droppedDenials
  }

  public var isHealthy: Bool { failure == nil && spooledEntries == 0 }
}
