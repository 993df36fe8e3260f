internal import Billing
internal import Budgets
internal import Configuration
internal import EventLoop
internal import Gateway
internal import JSON
internal import Ledger
internal import Logging
internal import Pricing
internal import Time

/// Puts edited files and changes of the ledger in force.
///
/// A mistake in one file leaves all settings as they were. The reloader runs on Swift's own
/// threads, never on an event loop, because reading files may wait for a disk.
actor Reloader {
  private let store: ConfigurationStore
  private let rules: Lock<RulesSnapshot>
  private let gateway: Gateway
  private let ledger: any Ledger
  private let records: LedgerReader
  private let unreadable = UnreadableRows()
  /// Clients that are closed until the next start, because the start couldn't read their use.
  private let closed: Set<String>
  private let certificates: ListenerCertificates
  private let logger: Logger
  /// Counts reloads and failed reloads.
  nonisolated let reloads = ReloadCount()
  private var isPending = false
  private var dataVersion: Int64
  private var latestChange: Int64
  /// Whether the last change isn't in force yet, because the ledger failed meanwhile.
  private var isBehind = false
  /// An edit of the files that isn't in force yet, for the log.
  private var untold: Edit?
  private var controls: [BudgetControl]
  private var latestReset: Int64
  /// The budgets in force, with their credits and conversation limits.
  private var setup: BudgetSetup
  /// The budgets that the ledger has to know by name.
  private var budgets: [BudgetDefinition]
  /// The budgets that the ledger was told last; nil if that has not succeeded yet.
  private var declared: [BudgetDefinition]?
  /// The latest task that tells the ledger. Each such task waits for the one before it.
  private var declaring: Task<Result<Void, LedgerError>, Never>?
  /// The next beginning of a billed client's period; nil if no client is billed.
  private var nextBillingPeriod: Timestamp?

  /// Editors write a file in several steps. Events within this time count as one change.
  private static let settlingTime = Duration.milliseconds(100)

  /// Interval at which the reloader asks the ledger whether a command has changed clients or keys.
  /// An idle server wakes threads for nothing else: five of them each time.
  private static let followingInterval = Duration.milliseconds(333)

  /// Timeout of the reloader's queries. Changes by the admin API wait meanwhile.
  private static let patienceWithLedger = Duration.seconds(10)

  /// Lifetime of `catraca check --accept`. It leaves time to put the files in place, and doesn't
  /// cover an accident of next month.
  private static let acceptanceLifetime = Duration.seconds(24 * 3600)

  /// The most budgets that a start declares to the ledger before the server listens. More budgets
  /// are declared afterwards: no request waits for that, and it may take as long as the rest of a
  /// start.
  private static let mostBudgetsDeclaredFirst = 1_000

  /// - Parameters:
  ///   - records: the ledger's location. The reloader opens a connection of its own to it.
  ///   - closed: clients whose use the start couldn't read.
  ///   - start: the clients and the administrators' changes that are in force already.
  /// - Throws: `LedgerError` if the ledger can't be read.
  init(
    store: ConfigurationStore, rules: Lock<RulesSnapshot>, gateway: Gateway, ledger: any Ledger,
    records location: LedgerLocation, closed: Set<String>, _ start: BudgetStart,
    certificates: ListenerCertificates, logger: Logger
  ) throws(LedgerError) {
    let records = try LedgerReader(at: location, passingOver: unreadable)
    records.expectAnswers(within: Reloader.patienceWithLedger)
    setup = Reloader.setup(of: start.clients, store.current, credits: [])
    budgets = start.clients.declaredBudgets(besides: start.stored)
    controls = start.adjustments.controls
    latestReset = start.adjustments.resets.last?.id ?? 0
    dataVersion = try records.dataVersion()
    latestChange = try records.latestChange()
    self.records = records
    self.closed = closed
    self.store = store
    self.rules = rules
    self.gateway = gateway
    self.ledger = ledger
    self.certificates = certificates
    self.logger = logger
  }

  /// The folders of the configuration's files.
  nonisolated var folders: [String] { store.watchedFiles.folders }

  /// Reloads the files if a change in their folders concerns them. It waits for the change to
  /// settle.
  func filesChanged() async {
    guard !isPending else { return }
    isPending = true
    try? await Task.sleep(for: Reloader.settlingTime)
    isPending = false
    await apply(store.reloadIfChanged(isAccepted: isAccepted))
  }

  /// Reads all files again, including certificates.
  func reload() async {
    await apply(store.reload(isAccepted: isAccepted))
  }

  /// Puts changes that commands make in the ledger in force, until its task is cancelled.
  func followLedger() async {
    while true {
      do { try await Task.sleep(for: Reloader.followingInterval) } catch { return }
      await openBillingPeriods()
      do {
        let version = try records.dataVersion()
        guard version != dataVersion || isBehind else { continue }
        dataVersion = version
        let change = try records.latestChange()
        guard change != latestChange || isBehind else { continue }
        latestChange = change
      } catch {
        logger.log(.warn, "ledger_not_followed") { $0.member("reason", error.description) }
        continue
      }
      await takeOverChange()
    }
  }

  /// Puts a change in force that another server made in the ledger.
  func ledgerChanged() async {
    do {
      let change = try records.latestChange()
      guard change != latestChange else { return }
      latestChange = change
    } catch {
      // `followLedger` asks the ledger again within `followingInterval`.
      return
    }
    await takeOverChange()
  }

  /// Puts a change in force that a command or another server made in the ledger. If an
  /// administrator has accepted files that were refused, it loads those files.
  private func takeOverChange() async {
    switch store.reloadIfAccepted(isAccepted) {
    case .unchanged: await putInForce(store.current)
    case let outcome: await apply(outcome)
    }
  }

  /// Puts the ledger's present state in force before it returns.
  ///
  /// - Returns: Whether that succeeded. A failure is logged.
  func takeOverLedger() async -> Bool {
    do {
      latestChange = try records.latestChange()
    } catch {
      logger.log(.warn, "ledger_not_followed") { $0.member("reason", error.description) }
      return false
    }
    return await putInForce(store.current)
  }

  private func apply(_ outcome: ConfigurationStore.ReloadOutcome) async {
    var isDone: Bool?
    switch outcome {
    case .unchanged: break
    case .refused(let mistakes):
      for mistake in mistakes { refuse("\(mistake)") }
      isDone = false
    case .lossRefused(let loss):
      refuse(Reloader.text(of: loss))
      isDone = false
    case .replaced(let loaded, let awaitingRestart, let changes):
      logger.log(loaded.warnings)
      isDone = await putInForce(
        loaded.settings, edit: Edit(awaitingRestart: awaitingRestart, changes: changes))
    }
    if !reloadCertificates() { isDone = false }
    if let isDone { reloads.note(isDone: isDone) }
  }

  @discardableResult
  private func putInForce(
    _ settings: Settings, edit: Edit? = nil
  ) async -> Bool {
    if let edit { untold = edit }
    do {
      unreadable.begin()
      let stored = try records.storedClients()
      let controls = try records.budgetControls()
      let clients = try settings.clients.adding(stored, passingOver: unreadable, closing: closed)
      var adjustments = BudgetControls(
        controls: controls, resets: try records.budgetResets(after: latestReset))
      var book = try RulesSnapshot(
        settings, clients: clients, priceOverrides: stored.priceOverrides)
      let now = Timestamp.readSystemClock()
      let former = rules.withLock { $0 }.clients
      let plans = PlanRecords(records, of: clients, settings, at: now)
      let charged = try plans.charged(besides: former)
      let credits = try records.usableCredits(at: now).map(\.credit)
      let setup = Reloader.setup(of: clients, settings, credits: credits)
      let returned = setup.returning(since: self.setup)
      adjustments.earlierResets = try records.budgetResets(of: returned)
      try gateway.configure(setup, replacing: self.setup)
      self.setup = setup
      // A budget that comes back gets its former raises and pauses again.
      gateway.apply(
        adjustments, replacing: self.controls.filter { !returned.contains($0.target.budget) })
      self.controls = controls
      latestReset = adjustments.resets.last?.id ?? latestReset
      // The former snapshot may be large. It is freed after the lock is released.
      rules.withLock { swap(&$0, &book) }
      gateway.ownersMayHaveChanged()
      logger.configure(level: settings.log.level, format: settings.log.format)
      // When this returns, the ledger has everything that was settled before plans began to count.
      try await syncBilling(of: clients, settings, at: now)
      budgets = clients.declaredBudgets(besides: stored)
      try await declare().get()
      gateway.recall(
        try plans.uncounted(charged),
        conversations: try plans.conversations(besides: former.conversationLimits))
    } catch {
      isBehind = error is LedgerError
      refuse("\(error)")
      return false
    }
    isBehind = false
    logger.log(unreadable.take())
    if let edit = untold {
      untold = nil
      logger.log(.info, "configuration_reloaded") { line in
        for (name, texts) in [
          ("awaiting_restart", edit.awaitingRestart), ("changes", edit.changes),
        ] {
          line.member(name) { list in list.array { for text in texts { $0.string(text) } } }
        }
      }
    }
    return true
  }

  /// The changes that an edit of the files brings, for the log.
  private struct Edit {
    let awaitingRestart: [String]
    let changes: [String]
  }

  private static func setup(
    of clients: ClientRegistry, _ settings: Settings, credits: [Credit]
  ) -> BudgetSetup {
    BudgetSetup(
      budgets: clients.budgets, conversationLimits: clients.conversationLimits, credits: credits,
      policy: Server.policy(settings))
  }

  /// Tells the ledger before the server listens how clients are billed, and the budgets, if they
  /// are at most 1,000.
  ///
  /// - Throws: `LedgerError` if the ledger can't be written.
  func declareFirst(
    _ clients: ClientRegistry, _ settings: Settings, at now: Timestamp
  ) async throws(LedgerError) {
    if budgets.count <= Reloader.mostBudgetsDeclaredFirst { try await declare().get() }
    try await syncBilling(of: clients, settings, at: now)
  }

  /// Tells the ledger the budgets that `declareFirst` has left out, and retries until it succeeds.
  func declareAfterStart() async {
    while declared == nil {
      switch await declare() {
      case .success, .failure(.closed): return
      case .failure(let error):
        logger.log(.warn, "budgets_not_declared") { $0.member("reason", error.description) }
      }
      do { try await Task.sleep(for: Reloader.followingInterval) } catch { return }
    }
  }

  /// Tells the ledger the budgets, unless it knows them. Calls run one after the other, so that the
  /// ledger ends with the budgets that are in force last.
  private func declare() async -> Result<Void, LedgerError> {
    let former = declaring
    let current = Task {
      _ = await former?.value
      return await declareNext()
    }
    declaring = current
    return await current.value
  }

  private func declareNext() async -> Result<Void, LedgerError> {
    let budgets = budgets
    guard budgets != declared else { return .success(()) }
    declared = nil
    do {
      try await ledger.syncBudgets(budgets, at: .readSystemClock())
    } catch {
      return .failure(error)
    }
    declared = budgets
    return .success(())
  }

  /// Tells the ledger how clients are billed, and charges the periods that have begun.
  private func syncBilling(
    of clients: ClientRegistry, _ settings: Settings, at now: Timestamp
  ) async throws(LedgerError) {
    nextBillingPeriod = clients.nextBillingPeriod(after: now)
    try await ledger.syncBilling(
      clients.billingAgreements(settings.payments, at: now), at: now)
  }

  /// Charges the fixed fees of periods that have begun since the last call.
  private func openBillingPeriods() async {
    let now = Timestamp.readSystemClock()
    guard let next = nextBillingPeriod, next <= now else { return }
    let rules = rules.withLock { $0 }
    do {
      try await syncBilling(of: rules.clients, rules.settings, at: now)
    } catch {
      nextBillingPeriod = next
      logger.log(.warn, "ledger_not_followed") { $0.member("reason", error.description) }
    }
  }

  /// Whether an administrator accepted files with this digest within `acceptanceLifetime`.
  private func isAccepted(_ digest: String) -> Bool {
    let since = Timestamp.readSystemClock().advanced(by: .zero - Reloader.acceptanceLifetime)
    do {
      return try records.isConfigurationAccepted(digest, since: since)
    } catch {
      logger.log(.warn, "ledger_not_followed") { $0.member("reason", error.description) }
      return false
    }
  }

  private static func text(of loss: SuddenLoss) -> String {
    "the files declare much less than the settings in force: \(loss). A file may be cut short, "
      + "so the old settings stay in force. If this is meant, run `catraca check --accept`, or "
      + "send SIGHUP again after \(ConfigurationStore.settlingTime.components.seconds) seconds. "
      + "Write a file under another name and rename it into place: it is never half written then"
  }

  private func refuse(_ mistake: String) {
    logger.log(.error, "configuration_refused") { $0.member("mistake", mistake) }
  }

  /// Reads the certificates again. A certificate that can't be used leaves the old one in force.
  ///
  /// - Returns: Whether all of them could be used.
  private func reloadCertificates() -> Bool {
    let errors = certificates.renew(store.current)
    for error in errors { refuse("\(error)") }
    return errors.isEmpty
  }
}

extension Logger {
  /// Logs the warnings about the files.
  func log(_ warnings: [Diagnostic]) {
    for warning in warnings {
      log(.warn, "configuration_warning") { $0.member("warning", "\(warning)") }
    }
  }
}

/// Counts the reloads that were put in force, and the reloads that failed.
final class ReloadCount: Sendable {
  private let state = Lock((done: Int64(0), failed: Int64(0)))

  var counts: (done: Int64, failed: Int64) { state.withLock { $0 } }

  func note(isDone: Bool) {
    state.withLock { counts in
      if isDone { counts.done += 1 } else { counts.failed += 1 }
    }
  }
}
