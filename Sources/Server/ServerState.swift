internal import Alerts
internal import Billing
internal import Budgets
internal import Configuration
internal import Console
internal import EventLoop
internal import Gateway
internal import HTTPServer
internal import Ledger
internal import Pricing
internal import Telemetry
internal import Time

/// The console's view of the running server.
///
/// The gateway hands clients' own calls to the console, and the console reads the budgets from the
/// gateway. This type connects the two. The server serves nothing before `connect`.
final class ServerState: RunningServer {
  private struct Parts {
    let gateway: Gateway
    let reloader: Reloader
    let alertPostbox: AlertQueue
    let paymentClient: PaymentClient
    let sender: AlertSender
    let collector: ChargeCollector
    let tracer: Tracer?
  }

  let ledgerLocation: LedgerLocation
  let widgetTokens: WidgetTokens
  private let rules: Lock<RulesSnapshot>
  private let ledger: ServerLedger
  private let parts = Lock<Parts?>(nil)
  private let reports: ListenerReports
  private let listeners = Lock<KeyValuePairs<String, HTTPServer>>([:])

  init(
    rules: Lock<RulesSnapshot>, ledger: ServerLedger, ledgerLocation: LedgerLocation,
    reports: ListenerReports, at now: Timestamp
  ) throws(LedgerError) {
    widgetTokens = try WidgetTokens(ofLedgerAt: ledgerLocation, at: now)
    self.rules = rules
    self.ledger = ledger
    self.ledgerLocation = ledgerLocation
    self.reports = reports
  }

  func connect(
    _ gateway: Gateway, _ reloader: Reloader, _ alertPostbox: AlertQueue,
    _ sender: AlertSender, _ paymentClient: PaymentClient, _ collector: ChargeCollector,
    _ tracer: Tracer?
  ) {
    parts.withLock {
      $0 = Parts(
        gateway: gateway, reloader: reloader, alertPostbox: alertPostbox,
        paymentClient: paymentClient, sender: sender, collector: collector, tracer: tracer)
    }
  }

  /// Adds the listeners, which start last because they serve everything else.
  func connect(listeners: KeyValuePairs<String, HTTPServer>) {
    self.listeners.withLock { $0 = listeners }
  }

  /// Ends the reference cycle with the rest of the server, so that both can be freed.
  func disconnect() {
    parts.withLock { $0 = nil }
    listeners.withLock { $0 = [:] }
  }

  private var connected: Parts {
    guard let parts = parts.withLock({ $0 }) else {
      preconditionFailure("the console was asked before the server stood, or after it fell")
    }
    return parts
  }

  var settings: Settings { rules.withLock { $0 }.settings }

  var clients: ClientRegistry { rules.withLock { $0 }.clients }

  var prices: PriceBook { rules.withLock { $0 }.prices }

  var alertPostbox: AlertQueue { connected.alertPostbox }

  var isLedgerHealthy: Bool { ledger.isHealthy }

  var revision: UInt64 {
    let connected = connected
    return connected.gateway.budgetRevision &+ connected.collector.revision
  }

  var recordedUsage: RecordedUsage { ledger.recordedUsage }

  var vitals: ServerVitals {
    let connected = connected
    let reloads = connected.reloader.reloads.counts
    var vitals = ServerVitals(
      version: Server.version,
      connections: listeners.withLock { $0 }.map { ($0.key, $0.value.connectionCount) },
      requestsInFlight: connected.gateway.requestsInFlight, ledgerLag: ledger.lag,
      reloads: reloads.done, reloadFailures: reloads.failed,
      droppedSpans: connected.tracer?.droppedSpans,
      limitsMet: reports.totals.filter { $0.count > 0 }.map { ($0.limit.rawValue, $0.count) })
    vitals.unmeteredRequests = connected.gateway.unmeteredRequests.byClient
    vitals.missingPrices = connected.gateway.missingPrices.counts
    vitals.unwrittenDenials = connected.gateway.denialLimits.unwritten
    return vitals
  }

  func readBudgets<Answer: Sendable>(_ body: @Sendable (BudgetState) -> Answer) -> Answer {
    connected.gateway.readBudgets(body)
  }

  func model(_ name: String, of provider: String?, for client: String) -> PricedModel? {
    rules.withLock { $0 }.model(name, of: provider, for: client)
  }

  func record(_ usage: ExternalUsage) async throws(LedgerError) {
    try await connected.gateway.record(usage)
  }

  var paymentClient: PaymentClient { connected.paymentClient }

  func alertsAreDue() { connected.sender.ring() }

  func chargesAreDue() { connected.collector.ring() }

  func tell(ofPaymentDifference reason: String) {
    connected.collector.tell(ofDifference: reason)
  }

  func takeOverLedger() async -> Bool {
    await connected.reloader.takeOverLedger()
  }
}

extension ServerState: BilledServer {}

extension ServerState: AlertingServer {
  func budgetObject(
    _ id: BudgetID, of subject: String, at now: Timestamp
  ) throws(LedgerError) -> [UInt8]? {
    try BudgetObject.json(of: id, subject: subject, in: self, at: now)
  }
}
