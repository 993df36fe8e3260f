public import Budgets
public import Time

internal import EventLoop

/// The ledger of one server, in an SQLite file or in a PostgreSQL database.
///
/// The SQLite file at PATH has others beside it: SQLite's `PATH-wal` and `PATH-shm`, `PATH.lock`
/// with the process ID of the server, and `PATH.spool` with entries that wait to be written. With
/// PostgreSQL, which several servers can share, only the spool is a file.
public final class ServerLedger: Ledger {
  /// The failures that a commit survives.
  public enum Durability: String, Sendable, Hashable, CaseIterable {
    /// The death of the process.
    case process
    /// The death of the process or of the machine: each commit waits for the disk.
    case power
  }

  /// The treatment of intents that can't be committed.
  public enum FailurePolicy: String, Sendable, Hashable, CaseIterable {
    /// `open` throws `unavailable`.
    case deny
    /// `open` returns when the intent is in the spool file.
    case allow
  }

  public struct Options: Sendable, Hashable {
    public var location: LedgerLocation
    public var durability: Durability
    public var onFailure: FailurePolicy
    /// The longest time that a commit waits for another process that writes to the file.
    public var busyTimeoutMilliseconds: Int32
    /// The pause after a failed commit.
    public var retryInterval: Duration
    /// The largest size of the spool file.
    public var largestSpoolBytes: Int
    /// Whether other servers may have the same database at the same time.
    package var isShared: Bool
    /// The path of the spool, in which entries wait while the database can't take them.
    package var spoolPath: String
    /// The SQLite VFS that the database is on; nil for the system's files. For simulations.
    package var fileSystem: String?

    public init(
      _ location: LedgerLocation, durability: Durability = .process,
      onFailure: FailurePolicy = .deny,
      busyTimeoutMilliseconds: Int32 = 2_000, retryInterval: Duration = .milliseconds(250),
      largestSpoolBytes: Int = 1 << 30
    ) {
      self.location = location
      isShared = location.isShared
      spoolPath = location.spoolPath
      self.durability = durability
      self.onFailure = onFailure
      self.busyTimeoutMilliseconds = busyTimeoutMilliseconds
      self.retryInterval = retryInterval
      self.largestSpoolBytes = largestSpoolBytes
    }
  }

  /// The number of requests of a killed process that this start has settled with their estimates.
  public let recoveredRequests: Int
  /// The number of entries that waited in the spool and that this start has written.
  public let drainedEntries: Int

  /// The most budgets of one commit. Requests are written between these commits, so that they wait
  /// for at most one of them.
  private static let budgetsInOneCommit = 500

  let location: LedgerLocation
  /// Nil if only this server uses the ledger.
  let membership: Membership?
  let queue: CommandQueue
  private let keeper: Lock<ReplicaKeeper?>
  private let writerHealth: Lock<LedgerHealth>
  private let bells: Bells
  private let recorded: Lock<RecordedUsage>
  private let unreadable = UnreadableRows()
  /// The writer's thread; nil after it was taken to be joined.
  private let thread: Lock<Thread?>

  /// Opens or creates the ledger, brings it to the newest schema, writes the entries of the spool,
  /// and settles the requests that a killed process left in flight.
  ///
  /// Blocks the calling thread meanwhile; meant for a start, before anything is served.
  ///
  /// - Parameters:
  ///   - modelLabel: how metrics call a model of a provider, which must be one of few names:
  ///     whatever an app asks for is recorded. Called on the writer's thread.
  /// - Throws: `cannotOpen`, `inUse`, `notALedger`, `tooNew`, `unreadable` or `unavailable`.
  public init(
    _ options: Options,
    modelLabel: @escaping @Sendable (_ model: String, _ provider: String) -> String = {
      model, _ in model
    }
  ) throws(LedgerError) {
    location = options.location
    let membership = options.isShared ? Membership(name: Membership.processName) : nil
    self.membership = membership
    keeper = Lock(nil)
    let queue = CommandQueue()
    let health = Lock(LedgerHealth())
    self.queue = queue
    writerHealth = health
    let bells = Bells()
    self.bells = bells
    let recorded = Lock(RecordedUsage())
    self.recorded = recorded
    let writer = try LedgerWriter(
      options, queue: queue, health: health, bells: bells, membership: membership,
      recorded: recorded, modelLabel: modelLabel, unreadable: unreadable)
    try writer.startCheckpointer()
    recoveredRequests = writer.recoveredRequests
    drainedEntries = writer.drainedEntries
    thread = Lock(try ServerLedger.start(writer, queue))
    if let membership {
      let started = try ReplicaKeeper(
        options.location, membership, queue,
        orphans: OrphanedSpools(options, membership, bells: bells))
      keeper.withLock { $0 = started }
    }
  }

  private static func start(
    _ writer: sending LedgerWriter, _ queue: CommandQueue
  ) throws(LedgerError) -> Thread {
    let handover = Lock<LedgerWriter?>(writer)
    do {
      return try Thread(name: "ledger") {
        ServerLedger.work(handover)
        // The file and the lock are released before `close` returns.
        queue.finish()
      }
    } catch {
      throw .unavailable(reason: "no thread to write on: \(error)")
    }
  }

  private static func work(_ handover: Lock<LedgerWriter?>) {
    let writer = handover.withLock { $0.take() }
    writer?.run()
  }

  deinit {
    // Without a `close`, the writer still writes the queued commands, and ends.
    queue.close(nil)
    joinWriter()
  }

  /// Waits for the writer, which ends after it has written the queued commands.
  private func joinWriter() {
    thread.withLock { $0.take() }?.join()
    keeper.withLock { $0.take() }?.stop()
  }

  /// Brings the file to the newest schema, and returns the numbers of the steps that were missing.
  ///
  /// - Throws: `LedgerError`, as `init` does.
  public static func migrate(at location: LedgerLocation) throws(LedgerError) -> [Int] {
    let lock = try ServerLock(of: location)
    defer { withExtendedLifetime(lock) {} }
    let connection = try DatabaseConnection(
      location, access: .readWrite,
      busyTimeoutMilliseconds: Options(location).busyTimeoutMilliseconds)
    return try DatabaseSchema.migrate(connection, at: location)
  }

  /// - Throws: `LedgerError`, as `Ledger` says.
  public func open(_ intent: Intent) async throws(LedgerError) {
    try await write(.open(interrupted: intent.interrupted))
  }

  /// - Throws: `LedgerError`, as `Ledger` says.
  public func settle(_ settlement: SettledRequest) async throws(LedgerError) {
    try await write(.settle(try await recordingTooMany(of: settlement)))
  }

  /// - Throws: `LedgerError`, as `Ledger` says.
  public func deferSettlement(of request: DeferredRequest) async throws(LedgerError) {
    var request = request
    request.expected = try await recordingTooMany(of: request.expected)
    try await write(.deferral(request))
  }

  /// - Throws: `LedgerError`, as `Ledger` says.
  public func settle(_ settlement: DeferredSettlement) async throws(LedgerError) {
    try await write(.settleDeferred(try await recordingTooMany(of: settlement)))
  }

  /// - Throws: `LedgerError`, as `Ledger` says.
  public func discard(_ requestID: RequestID) async throws(LedgerError) {
    try await write(.discard(requestID))
  }

  public func record(_ denial: DenialRow) {
    queue.submit(denial)
  }

  public func record(_ alert: Alert) {
    queue.submit(alert)
  }

  public func record(_ sighting: MissingPriceSighting) {
    queue.submit(sighting)
  }

  public func record(_ pause: LimitPause) {
    queue.submit(pause)
  }

  /// Sets the action that the writer's thread calls whenever it has written alerts, in place of an
  /// earlier action.
  public func whenAlertsAreWritten(_ action: @escaping @Sendable () -> Void) {
    bells.alerts.answer(by: action)
  }

  /// Sets the action that the writer's thread calls whenever it has written charges, in place of an
  /// earlier action.
  public func whenChargesAreWritten(_ action: @escaping @Sendable () -> Void) {
    bells.charges.answer(by: action)
  }

  /// - Throws: `LedgerError` if the ledger can't be written.
  public func syncBudgets(
    _ definitions: [BudgetDefinition], at now: Timestamp
  ) async throws(LedgerError) {
    // A separate connection reads the many rows, so that they don't delay the writer.
    var changes = try LedgerReader(at: location).budgetChanges(to: definitions)
    while !changes.isEmpty {
      let piece = changes.takeFirst(ServerLedger.budgetsInOneCommit)
      try await submit { .writeBudgets(piece, at: now, $0) }
    }
  }

  /// - Throws: `LedgerError` if the ledger can't be written.
  public func syncBilling(
    _ agreements: [BillingAgreement], at now: Timestamp
  ) async throws(LedgerError) {
    try await submit { .syncBilling(agreements, at: now, $0) }
  }

  public var health: LedgerHealth {
    var health = writerHealth.withLock { $0 }
    health.droppedDenials = queue.droppedDenials
    return health
  }

  /// Returns the rows that the writer has ignored since the last call, because it can't understand
  /// them.
  public func takeUnreadable() -> [UnreadableRow] { unreadable.take() }

  /// The recorded usage, summed for metrics.
  public var recordedUsage: RecordedUsage { recorded.withLock { $0 } }

  /// The age of the oldest command that isn't in the database yet.
  public var lag: Duration { queue.lag(at: .now()) }

  public func close() async {
    await withCheckedContinuation { queue.close($0) }
    // The writer's thread ends right after its reply.
    joinWriter()
  }

  func write(_ entry: Entry) async throws(LedgerError) {
    try await submit { .write(entry, $0) }
  }

  /// An unchecked continuation, because it allocates nothing. The writer replies to each command
  /// once, and keeps the command in `pending` until then.
  private typealias Caller = UnsafeContinuation<Result<Void, LedgerError>, Never>

  /// Queues a command and suspends until the writer replies.
  private func submit(
    _ command: (@escaping Reply) -> WriterCommand
  ) async throws(LedgerError) {
    let result = unsafe await withUnsafeContinuation { (caller: ServerLedger.Caller) in
      switch queue.submit(command { unsafe caller.resume(returning: $0) }) {
      case nil: break
      case .closed: unsafe caller.resume(returning: .failure(.closed))
      case .full:
        unsafe caller.resume(
          returning: .failure(.unavailable(reason: "too many requests wait to be written")))
      }
    }
    try result.get()
  }
}
