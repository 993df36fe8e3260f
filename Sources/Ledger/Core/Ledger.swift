public import Budgets
public import Time

/// The durable record of requests. A process that dies at any instant loses and repeats nothing.
///
/// A request's way through it: `open` before anything is forwarded, then exactly one of `settle`
/// (the provider was reached) and `discard` (it was not). A ledger finds the requests that were
/// opened and never ended when it starts again, and settles each with its estimate. Where the
/// provider answers and goes on with the work, `deferSettlement` takes the intent out of what is
/// found so, and `settle` with a `DeferredSettlement` ends the request, whenever that is.
///
/// Callers are suspended, never blocked: many of them share one commit.
public protocol Ledger: Sendable {
  /// Records that a request is about to be forwarded; returns when that is committed.
  ///
  /// Throws `unavailable` when it can't be, and `closed` after `close`.
  func open(_ intent: Intent) async throws(LedgerError)

  /// Records what a request used and adds its charges, and removes its intent, all in one
  /// transaction; returns when that is safe: committed, or written to the spool.
  ///
  /// A request that already has its row is left as it is. Throws `unavailable` only when the
  /// ledger is closed while neither the database nor the spool can be written.
  func settle(_ settlement: SettledRequest) async throws(LedgerError)

  /// Forgets the intent of a request that never reached its provider; returns when that is safe.
  ///
  /// Throws as `settle` does.
  func discard(_ requestID: RequestID) async throws(LedgerError)

  /// Records that the provider has answered a request and goes on with its work, in place of the
  /// intent; returns when that is safe. From then on a start finds it among the deferred ones.
  ///
  /// Throws as `settle` does.
  func deferSettlement(of request: DeferredRequest) async throws(LedgerError)

  /// Adds rows of a deferred request, and ends it with the last of them, in one transaction;
  /// returns when that is safe. Rows that are there already are left as they are.
  ///
  /// Throws as `settle` does.
  func settle(_ settlement: DeferredSettlement) async throws(LedgerError)

  /// Records objects that a provider's answer shows, before the app sees the answer; returns when
  /// that is safe: committed, or written to the spool. From then on they belong to their owners.
  ///
  /// An object that is recorded already keeps its owner: an answer never takes it away. One that
  /// was deleted before is there again, if the same client has made it anew. An object whose id
  /// can't be one, by `ProviderObject.isID`, is left out.
  ///
  /// Throws as `settle` does.
  func record(_ objects: [ProviderObject]) async throws(LedgerError)

  /// Records that the provider has deleted an object; returns when that is safe. From then on
  /// nobody owns it. Nothing happens where it isn't recorded.
  ///
  /// Throws as `settle` does.
  func end(
    _ objectID: String, of provider: String, at now: Timestamp
  ) async throws(LedgerError)

  /// Queues a refusal to be written soon; dropped, and counted in `health`, when too many wait.
  func record(_ denial: DenialRow)

  /// Queues an alert that belongs to no settlement, to be written soon; dropped, and counted in
  /// `health`, when too many wait.
  func record(_ alert: Alert)

  /// Queues a request that needed a price which is missing, to be counted soon; dropped, and
  /// counted in `health`, when too many prices wait.
  func record(_ sighting: MissingPriceSighting)

  /// Queues the beginning or the end of a pause by a limit, to be written soon; dropped, and
  /// counted in `health`, when too many wait.
  func record(_ pause: LimitPause)

  /// Makes `client_budgets` say what the configuration declares, at a start and at a reload.
  func syncBudgets(
    _ definitions: [BudgetDefinition], at now: Timestamp
  ) async throws(LedgerError)

  /// Bills clients by these agreements from now on and no others, at a start, at a reload, and when
  /// a period begins: its fixed fee is charged then.
  func syncBilling(
    _ agreements: [BillingAgreement], at now: Timestamp
  ) async throws(LedgerError)

  /// How the ledger is right now.
  var health: LedgerHealth { get }

  /// Writes everything that is queued and closes the file; whoever calls later gets `closed`.
  func close() async
}

extension Ledger {
  /// Whether the last attempt to write succeeded and nothing waits in the spool.
  public var isHealthy: Bool { health.isHealthy }
}

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
