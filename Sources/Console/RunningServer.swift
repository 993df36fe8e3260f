public import Alerts
public import Billing
public import Budgets
public import Configuration
public import Ledger
public import Pricing

/// The part of the running server that the console uses.
public protocol RunningServer: Sendable {
  /// The settings in force.
  var settings: Settings { get }
  /// All clients in force: those of the files and those of the ledger.
  var clients: ClientRegistry { get }
  /// The price book in force, without clients' own prices.
  var prices: PriceBook { get }
  /// A model at a client's prices; nil if no provider has it.
  ///
  /// - Parameter provider: The model's provider; nil for the first provider that has the model.
  func model(_ name: String, of provider: String?, for client: String) -> PricedModel?
  /// The location of the ledger.
  var ledgerLocation: LedgerLocation { get }
  /// Whether the ledger's last attempt to write succeeded.
  var isLedgerHealthy: Bool { get }

  /// Makes and verifies the tokens of widgets.
  var widgetTokens: WidgetTokens { get }

  /// A number that changes whenever figures of a page may have changed.
  var revision: UInt64 { get }
  /// The recorded usage, summed for metrics.
  var recordedUsage: RecordedUsage { get }
  /// The server's current state, for metrics.
  var vitals: ServerVitals { get }

  /// Reads the budgets, all at one instant.
  func readBudgets<Answer: Sendable>(_ body: @Sendable (BudgetState) -> Answer) -> Answer

  /// The queue of outgoing alerts, for test alerts.
  var alertPostbox: AlertQueue { get }

  /// Counts and records usage that did not pass the proxy. Returns when it is safe on disk.
  ///
  /// - Throws: `LedgerError` if it can't be recorded.
  func record(_ usage: ExternalUsage) async throws(LedgerError)

  /// The client of the payment provider.
  var paymentClient: PaymentClient { get }

  /// Wakes the sender of alerts.
  func alertsAreDue()

  /// Logs a payment that differs from its charge.
  func tell(ofPaymentDifference reason: String)

  /// Wakes the collector of charges.
  func chargesAreDue()

  /// Reloads clients, budgets and prices from the ledger. Returns when they are in force; false if
  /// they can't be read.
  func takeOverLedger() async -> Bool
}
