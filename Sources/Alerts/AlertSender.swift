public import Budgets
public import Configuration
package import EventLoop
internal import JSON
public import Ledger
public import Logging
public import Time
internal import Upstream

/// Delivers alerts to people: gives each recorded alert its text and its deliveries, attempts
/// these, and retries failed ones. Channels don't wait for each other: each has its own
/// simultaneous deliveries.
public actor AlertSender: OutboxWorker {
  /// A delivery that is due.
  package struct Item: Identifiable, Sendable {
    package struct ID: Hashable, Sendable {
      let alert: Int64
      let channel: String
    }

    let delivery: AlertDelivery
    let channel: AlertChannel

    package var id: ID { ID(alert: delivery.alert, channel: channel.name) }
  }

  private let outbox: AlertOutbox
  private let server: any AlertingServer
  private let queue: AlertQueue
  private let logger: Logger
  private let clock: @Sendable () -> Timestamp
  private var pace = AlertPace()
  package var attempts = OngoingAttempts<Item.ID>()
  package nonisolated let bell = WorkBell()

  /// The number of alerts that are read together.
  private static let alertsAtOnce = 64

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

  package func startDue() throws(LedgerError) -> Duration? {
    let channels = server.settings.alerts.channels
    let held = try plan(for: channels.map(\.name))
    try outbox.giveUpChannels(besides: channels.map(\.name))
    for channel in channels {
      let due = try outbox.due(channel.name, at: clock(), limit: mostAttemptsAtOnce)
      try start(due.map { Item(delivery: $0, channel: channel) }) { $0.channel == channel.name }
    }
    let now = clock()
    return [try outbox.nextAttempt(after: now), held].compactMap { $0?.elapsed(since: now) }.min()
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

  // MARK: One delivery

  package func claim(_ item: Item) throws(LedgerError) -> Bool {
    try outbox.claim(item.delivery, at: clock())
  }

  package func attempt(_ item: Item) async -> AlertQueue.Outcome {
    await queue.send(item.delivery.text, id: item.delivery.alertID, through: item.channel)
  }

  package func mayBeCanceled(_ outcome: AlertQueue.Outcome) -> Bool { !outcome.isDelivered }

  package func cancelAttempts() async { await queue.close() }

  package func note(_ outcome: AlertQueue.Outcome, of item: Item) throws(LedgerError) {
    let now = clock()
    let pause = RetrySchedule.pause(after: item.delivery.attempts + 1)
    log(item.delivery, outcome, isLast: pause == nil)
    let attempt: AlertAttempt =
      outcome.isDelivered
      ? .delivered(at: now)
      : .failed(
        reason: outcome.detail, nextAttemptAt: pause.map { now.advanced(by: $0) })
    try outbox.note(attempt, of: item.delivery)
  }

  package nonisolated func logUnavailable(_ error: LedgerError) {
    logger.log(.warn, "alerts_not_read") { $0.member("reason", error.description) }
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
