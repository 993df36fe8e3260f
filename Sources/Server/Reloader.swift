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

/// Puts edited files in force: all of them or, with any mistake in any of them, nothing.
///
/// It runs on Swift's own threads, never on a loop: reading files may wait for a disk.
actor Reloader {
  private let store: ConfigurationStore
  private let rules: Lock<RulesSnapshot>
  private let gateway: Gateway
  private let ledger: any Ledger
  private let records: LedgerReader
  private let unreadable = UnreadableRows()
  /// Clients that are closed since the start, when what they used was read.
  private let closed: Set<String>
  private let certificates: ListenerCertificates
  private let logger: Logger
  /// How often files were read anew, and with what success.
  nonisolated let reloads = ReloadCount()
  private var isPending = false
  private var dataVersion: Int64
  private var latestChange: Int64
  /// Whether the last change couldn't be put in force, since the ledger failed meanwhile.
  private var isBehind = false
  private var controls: [BudgetControl]
  private var latestReset: Int64
  /// What budgets there are.
  private var setup: BudgetSetup
  /// Those of them that the ledger is to be told.
  private var budgets: [BudgetDefinition]
  /// What the ledger was told last; nil where it wasn't, or where that may have failed.
  private var declared: [BudgetDefinition]?
  /// What tells it, after all that did before.
  private var declaring: Task<Result<Void, LedgerError>, Never>?
  /// When the next period of a billed client begins; nil where nobody is billed.
  private var nextBillingPeriod: Timestamp?

  /// Editors write in several steps; what happens within this time is one change.
  private static let settlingTime = Duration.milliseconds(100)

  /// How often the ledger is asked whether a command has changed clients or keys. It is the one
  /// thing for which a server at rest wakes threads, five of them each time.
  private static let followingInterval = Duration.milliseconds(333)

  /// A database that is silent for so long is away. Changes by the admin API wait meanwhile.
  private static let patienceWithLedger = Duration.seconds(10)

  /// How long `catraca check --accept` holds: long enough to put files in place afterwards, and not
  /// so long that it covers an accident of next month.
  private static let acceptanceLifetime = Duration.seconds(24 * 3600)

  /// A ledger is told of more budgets when the server listens already: a request waits for none of
  /// them, and they may take as long as all else of the start.
  private static let mostBudgetsDeclaredFirst = 1_000

  /// - Parameters:
  ///   - records: where the ledger is, to which it opens a connection of its own.
  ///   - closed: clients whose use can't be read, until the next start.
  ///   - start: the clients and what administrators did to budgets, which is in force already.
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

  /// The folders in which the files lie.
  nonisolated var folders: [String] { store.watchedFiles.folders }

  /// Something in the folders has changed: looks whether it concerns us, once it has settled.
  func filesChanged() async {
    guard !isPending else { return }
    isPending = true
    try? await Task.sleep(for: Reloader.settlingTime)
    isPending = false
    await apply(store.reloadIfChanged(isAccepted: isAccepted))
  }

  /// Reads everything again, certificates included.
  func reload() async {
    await apply(store.reload(isAccepted: isAccepted))
  }

  /// Takes over what commands change in the ledger, until the task is cancelled.
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

  /// Another server has changed something in the ledger.
  func ledgerChanged() async {
    do {
      let change = try records.latestChange()
      guard change != latestChange else { return }
      latestChange = change
    } catch {
      // What notified is asked again within `followingInterval`.
      return
    }
    await takeOverChange()
  }

  /// Takes over what a command or another server has changed, be it that an administrator has
  /// accepted files that were refused.
  private func takeOverChange() async {
    switch store.reloadIfAccepted(isAccepted) {
    case .unchanged: await putInForce(store.current, awaitingRestart: [])
    case let outcome: await apply(outcome)
    }
  }

  /// Takes over what the ledger says now, before the caller goes on; false, and logged, where that
  /// is not possible.
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
        loaded.settings, awaitingRestart: awaitingRestart, changes: changes)
    }
    if !reloadCertificates() { isDone = false }
    if let isDone { reloads.note(isDone: isDone) }
  }

  @discardableResult
  private func putInForce(
    _ settings: Settings, awaitingRestart: [String] = [], changes: [String] = []
  ) async -> Bool {
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
      // What was set on a budget that comes back is in force again.
      gateway.apply(
        adjustments, replacing: self.controls.filter { !returned.contains($0.target.budget) })
      self.controls = controls
      latestReset = adjustments.resets.last?.id ?? latestReset
      // The former ones, which may be many, are forgotten when nobody waits for the lock.
      rules.withLock { swap(&$0, &book) }
      gateway.ownersMayHaveChanged()
      logger.configure(level: settings.log.level, format: settings.log.format)
      // With this, all that was settled before plans began to count is in the ledger.
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
    logger.log(.info, "configuration_reloaded") { line in
      for (name, texts) in [("awaiting_restart", awaitingRestart), ("changes", changes)] {
        line.member(name) { list in list.array { for text in texts { $0.string(text) } } }
      }
    }
    return true
  }

  private static func setup(
    of clients: ClientRegistry, _ settings: Settings, credits: [Credit]
  ) -> BudgetSetup {
    BudgetSetup(
      budgets: clients.budgets, conversationLimits: clients.conversationLimits, credits: credits,
      policy: Server.policy(settings))
  }

  /// Tells the ledger what it must know before the server listens: by what clients are billed, and
  /// what budgets there are unless they are many.
  func declareFirst(
    _ clients: ClientRegistry, _ settings: Settings, at now: Timestamp
  ) async throws(LedgerError) {
    if budgets.count <= Reloader.mostBudgetsDeclaredFirst { try await declare().get() }
    try await syncBilling(of: clients, settings, at: now)
  }

  /// Tells it of those that were too many for that, again and again until it could be told.
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

  /// Tells the ledger what budgets there are, unless it knows. One after the other, so that what is
  /// in force last is what it was told last.
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

  /// Has clients billed by what is in force, and periods charged that have begun.
  private func syncBilling(
    of clients: ClientRegistry, _ settings: Settings, at now: Timestamp
  ) async throws(LedgerError) {
    nextBillingPeriod = clients.nextBillingPeriod(after: now)
    try await ledger.syncBilling(
      clients.billingAgreements(settings.payments, at: now), at: now)
  }

  /// Charges the fixed fees of periods that have begun since they were last looked at.
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

  /// Whether an administrator has accepted files with this digest of late.
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

  /// False where one is refused; the old one stays in force.
  private func reloadCertificates() -> Bool {
    let errors = certificates.renew(store.current)
    for error in errors { refuse("\(error)") }
    return errors.isEmpty
  }
}

extension Logger {
  /// Tells what is doubtful about the files.
  func log(_ warnings: [Diagnostic]) {
    for warning in warnings {
      log(.warn, "configuration_warning") { $0.member("warning", "\(warning)") }
    }
  }
}

/// How often the files were read anew and put in force, and how often they were refused.
final class ReloadCount: Sendable {
  private let state = Lock((done: Int64(0), failed: Int64(0)))

  var counts: (done: Int64, failed: Int64) { state.withLock { $0 } }

  func note(isDone: Bool) {
    state.withLock { counts in
      if isDone { counts.done += 1 } else { counts.failed += 1 }
    }
  }
}
