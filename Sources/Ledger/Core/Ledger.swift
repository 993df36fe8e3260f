public import Budgets
public import Time

/// The durable record of requests. A process that dies at any time loses and repeats nothing.
///
/// A request is recorded by `open` before it is forwarded. Then it is ended once: by `settle` if it
/// reached the provider, and by `discard` if it didn't. If the provider answers and continues the
/// work, `deferSettlement` replaces the intent, and `settle` with a `DeferredSettlement` ends the
/// request later. When a ledger starts again, it settles each request that was opened and never
/// ended with its estimate.
///
/// Callers are suspended and never blocked. Many of them share one commit.
public protocol Ledger: Sendable {
  /// Records that a request is about to be forwarded. Returns after the commit.
  /// - Throws: `LedgerError.unavailable` if the intent can't be committed; `closed` after `close`.
  func open(_ intent: Intent) async throws(LedgerError)

  /// Records the use of a request, adds its charges, and removes its intent, in one transaction.
  /// Returns when that is safe: committed, or written to the spool.
  ///
  /// A request that already has its row isn't changed.
  /// - Throws: `LedgerError.unavailable`, only if the ledger is closed while neither the database
  ///   nor the spool can be written.
  func settle(_ settlement: SettledRequest) async throws(LedgerError)

  /// Removes the intent of a request that never reached its provider. Returns when that is safe.
  /// - Throws: `LedgerError`, as `settle` does.
  func discard(_ requestID: RequestID) async throws(LedgerError)

  /// Records, in place of the intent, that the provider has answered a request and continues the
  /// work. Returns when that is safe. From then on a start finds it among the deferred requests.
  /// - Throws: `LedgerError`, as `settle` does.
  func deferSettlement(of request: DeferredRequest) async throws(LedgerError)

  /// Adds rows of a deferred request, and ends it with the last of them, in one transaction.
  /// Returns when that is safe. Existing rows aren't changed.
  /// - Throws: `LedgerError`, as `settle` does.
  func settle(_ settlement: DeferredSettlement) async throws(LedgerError)

  /// Records objects that a provider's answer shows, before the app sees the answer. Returns when
  /// that is safe: committed, or written to the spool. From then on they belong to their owners.
  ///
  /// An object that is recorded already keeps its owner: an answer never takes it away. One that
  /// was deleted before is there again, if the same client has made it anew. An object whose id
  /// can't be one, by `ProviderObject.isID`, is left out.
  ///
  /// Throws as `settle` does.
  func record(_ objects: [ProviderObject]) async throws(LedgerError)

  /// Records that the provider has deleted an object. Returns when that is safe. From then on
  /// nobody owns it. An object that isn't recorded changes nothing.
  /// - Throws: `LedgerError`, as `settle` does.
  func end(
    _ objectID: String, of provider: String, at now: Timestamp
  ) async throws(LedgerError)

  /// Queues a refusal to be written soon. If too many wait, it is dropped and counted in `health`.
  func record(_ denial: DenialRow)

  /// Queues an alert that belongs to no settlement, to be written soon. If too many wait, it is
  /// dropped and counted in `health`.
  func record(_ alert: Alert)

  /// Queues a request that needed a missing price, to be counted soon. If too many prices wait, it
  /// is dropped and counted in `health`.
  func record(_ sighting: MissingPriceSighting)

  /// Queues the beginning or the end of a pause by a limit, to be written soon. If too many wait,
  /// it is dropped and counted in `health`.
  func record(_ pause: LimitPause)

  /// Makes the budgets in `client_budgets` equal to those that the configuration declares. Called
  /// at a start and at a reload.
  /// - Throws: `LedgerError` if the database can't be read or written.
  func syncBudgets(
    _ definitions: [BudgetDefinition], at now: Timestamp
  ) async throws(LedgerError)

  /// Bills clients by these agreements from now on, and by no others. Called at a start, at a
  /// reload, and when a period begins, whose fixed fee is charged then.
  /// - Throws: `LedgerError` if the database can't be read or written.
  func syncBilling(
    _ agreements: [BillingAgreement], at now: Timestamp
  ) async throws(LedgerError)

  /// Whether the ledger can be written now.
  var health: LedgerHealth { get }

  /// Writes the queued commands and closes the file. Later calls throw `LedgerError.closed`.
  func close() async
}

extension Ledger {
  /// Whether the last attempt to write succeeded and nothing waits in the spool.
  public var isHealthy: Bool { health.isHealthy }
}

/// Whether a ledger can be written, for readiness checks and metrics.
public struct LedgerHealth: Hashable, Sendable {
  /// The reason for which the last attempt to write failed; nil if it succeeded.
  public var failure: String?
  /// The number of entries in the spool file that wait to be written to the database.
  public var spooledEntries: Int
  /// The number of refusals and alerts that were dropped since the start, because too many waited.
  public var droppedDenials: Int

  public init(failure: String? = nil, spooledEntries: Int = 0, droppedDenials: Int = 0) {
    self.failure = failure
    self.spooledEntries = spooledEntries
    self.droppedDenials = droppedDenials
  }

  public var isHealthy: Bool { failure == nil && spooledEntries == 0 }
}
