public import Budgets
public import Configuration
internal import EventLoop
internal import JSON
public import Ledger
public import Logging
public import Time
internal import Upstream

/// Delivers alerts to people: gives each recorded alert its text and its deliveries, attempts
/// these, and retries failed ones, even after a restart.
///
/// It runs on Swift's own threads, because the ledger blocks, and no request ever waits for it.
/// Channels don't wait for each other: each has its own simultaneous deliveries.
public actor AlertSender {
  private struct Name: Hashable {
    let alert: Int64
    let channel: String
  }

  private let outbox: AlertOutbox
  private let server: any AlertingServer
  private let queue: AlertQueue
  private let logger: Logger
  private let clock: @Sendable () -> Timestamp
  private var underway: Set<Name> = []
  private var deliveries: [Name: Task<Void, Never>] = [:]
  private var isStopped = false
  private var pace = AlertPace()
  private nonisolated let bell = WorkBell()

  /// The most simultaneous deliveries of one channel.
  private static let mostAtOnce = 4
  /// The number of alerts that are read together.
  private static let alertsAtOnce = 64
  /// The longest pause without work. Another server may have died and left alerts.
  private static let longestPause = Duration.seconds(60)
  /// The pause if the ledger can't be used.
  private static let ledgerPause = Duration.seconds(1)

  /// - Parameter outbox: A separate connection to the ledger.
  public init(
    outbox: sending AlertOutbox, server: any AlertingServer, queue: AlertQueue,
    logger: Logger, clock: @escaping @Sendable () -> Timestamp = { .readSystemClock() }
  ) {
    self.outbox = outbox
    self.server = server
    self.queue = queue
    self.logger = logger
    self.clock = clock
  }

  /// Signals that there may be work.
  public nonisolated func ring() {
    bell.ring()
  }

  /// Works until it is stopped.
  public func run() async {
    ring()
    for await _ in bell.rings {
      if isStopped { return }
      work()
    }
  }

  /// Stops: starts no further delivery, and cancels those in progress. The next start repeats them.
  public func stop() async {
    isStopped = true
    bell.close()
    await queue.close()
    for delivery in deliveries.values { await delivery.value }
  }

  private func work() {
    guard !isStopped else { return }
    do throws(LedgerError) {
      let channels = server.settings.alerts.channels
      let held = try plan(for: channels.map(\.name))
      try outbox.giveUpChannels(besides: channels.map(\.name))
      for channel in channels { try startDue(channel) }
      let now = clock()
      let next = [try outbox.nextAttempt(after: now), held].compactMap { $0?.elapsed(since: now) }
      bell.ring(after: min(next.min() ?? AlertSender.longestPause, AlertSender.longestPause))
    } catch {
      logger.log(.warn, "alerts_not_read") { $0.member("reason", error.description) }
      bell.ring(after: AlertSender.ledgerPause)
    }
  }

  /// Gives every alert its text and its deliveries, unless it waits for others of its budget.
  /// Returns the end of the first wait; nil for none.
  private func plan(for channels: [String]) throws(LedgerError) -> Timestamp? {
    pace.forget(at: clock())
    var next: Timestamp?
    for group in try outbox.unplannedGroups() {
      if group.areAlone {
        try planOneByOne(group, for: channels)
        continue
      }
      switch pace.decide(group.count, of: group.budget, at: clock()) {
      case .oneByOne: try planOneByOne(group, for: channels)
      case .together: try planTogether(group.budget, for: channels)
      case .later(let end): next = min(next ?? end, end)
      }
    }
    return next
  }

  private func planOneByOne(
    _ group: UnplannedAlerts, for channels: [String]
  ) throws(LedgerError) {
    var rest = Int(clamping: group.count)
    while rest > 0 {
      let alerts = try outbox.unplanned(of: group, limit: min(rest, AlertSender.alertsAtOnce))
      if alerts.isEmpty { return }
      for recorded in alerts {
        let now = clock()
        let text = AlertText(
          recorded, of: client(of: recorded), budget: try budget(of: recorded, at: now))
        try outbox.plan(recorded.number, text, for: channels, at: now)
      }
      rest -= alerts.count
    }
  }

  private func planTogether(_ budget: BudgetID, for channels: [String]) throws(LedgerError) {
    let now = clock()
    try outbox.planTogether(of: budget, for: channels, at: now) { gathered throws(LedgerError) in
      AlertText(
        gathered, of: client(of: gathered.lead), budget: try self.budget(of: gathered.lead, at: now)
      )
    }
  }

  private func client(of recorded: RecordedAlert) -> Client? {
    server.clients.client(recorded.alert.budgetID.client)
  }

  private func budget(
    of recorded: RecordedAlert, at now: Timestamp
  ) throws(LedgerError) -> [UInt8]? {
    let alert = recorded.alert
    guard alert.isAboutBudget else { return nil }
    return try server.budgetObject(alert.budgetID, of: alert.subject, at: now)
  }

  private func startDue(_ channel: AlertChannel) throws(LedgerError) {
    let due = try outbox.due(channel.name, at: clock(), limit: AlertSender.mostAtOnce)
    for delivery in due {
      let name = Name(alert: delivery.alert, channel: channel.name)
      guard underway.count(where: { $0.channel == channel.name }) < AlertSender.mostAtOnce,
        !underway.contains(name), try outbox.claim(delivery, at: clock())
      else { continue }
      underway.insert(name)
      deliveries[name] = Task { await deliver(delivery, through: channel, name) }
    }
  }

  private func deliver(
    _ delivery: AlertDelivery, through channel: AlertChannel, _ name: Name
  ) async {
    let outcome = await queue.send(delivery.text, id: delivery.alertID, through: channel)
    defer {
      underway.remove(name)
      deliveries[name] = nil
    }
    // A delivery that was canceled by the stop isn't an attempt.
    guard !isStopped || outcome.isDelivered else { return }
    let attempts = delivery.attempts + 1
    let now = clock()
    let pause = RetrySchedule.pause(after: attempts)
    let attempt: AlertAttempt =
      outcome.isDelivered
      ? .delivered(at: now)
      : .failed(
        reason: outcome.detail, nextAttemptAt: pause.map { now.advanced(by: $0) })
    log(delivery, outcome, isLast: pause == nil)
    do throws(LedgerError) {
      try outbox.note(attempt, of: delivery)
      ring()
    } catch {
      // The row still says that the delivery is due, so it is sent again under the same ID.
      logger.log(.warn, "alerts_not_read") { $0.member("reason", error.description) }
      bell.ring(after: AlertSender.ledgerPause)
    }
  }

  private func log(_ delivery: AlertDelivery, _ outcome: AlertQueue.Outcome, isLast: Bool) {
    let level: LogLevel = outcome.isDelivered ? .info : isLast ? .error : .warn
    logger.log(level, outcome.isDelivered ? "alert_delivered" : "alert_failed") { line in
      line.member("alert", delivery.alertID)
      line.member("channel", delivery.channel)
      line.member("attempt", Int64(delivery.attempts + 1))
      line.member("detail", outcome.detail)
    }
  }
}

/// The parts of the server that alerts use.
public protocol AlertingServer: Sendable {
  /// The settings in force.
  var settings: Settings { get }
  /// All clients in force.
  var clients: ClientRegistry { get }

  /// Returns a budget as the admin API shows it, a JSON object; nil if it is gone.
  /// - Throws: `LedgerError` if the ledger can't be read.
  func budgetObject(
    _ id: BudgetID, of subject: String, at now: Timestamp
  ) throws(LedgerError) -> [UInt8]?
}
