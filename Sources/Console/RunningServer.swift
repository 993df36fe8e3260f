public import Alerts
public import Billing
public import Budgets
public import Configuration
public import Ledger
public import Pricing

/// What the console needs of the server that it is a part of.
public protocol RunningServer: Sendable {
  /// The settings in force.
  var settings: Settings { get }
  /// All clients in force: those of the files, and those that the ledger keeps.
  var clients: ClientRegistry { get }
  /// The price book in force, without clients' own prices.
  var prices: PriceBook { get }
  /// A model of a provider, or of the first that has it, at the prices of a client.
  func model(_ name: String, of provider: String?, for client: String) -> PricedModel?
  /// Where requests are recorded.
  var ledgerLocation: LedgerLocation { get }
  /// Whether the ledger's last attempt to write succeeded.
  var isLedgerHealthy: Bool { get }

  /// What makes and reads the tokens of widgets.
  var widgetTokens: WidgetTokens { get }

  /// Another number whenever something was held, settled, refused, set, charged or paid.
  var revision: UInt64 { get }
  /// What the ledger has recorded, summed for metrics.
  var recordedUsage: RecordedUsage { get }
  /// The server's current state, for metrics.
  var vitals: ServerVitals { get }

  /// Reads how the budgets stand, all as of one instant.
  func readBudgets<Answer: Sendable>(_ body: @Sendable (BudgetState) -> Answer) -> Answer

  /// Where alerts go out, for tests of them.
  var alertPostbox: AlertQueue { get }

  /// Counts and records usage that did not pass the proxy; returns when that is safe.
  func record(_ usage: ExternalUsage) async throws(LedgerError)

  /// Where the payment provider is reached.
  var paymentClient: PaymentClient { get }

  /// Says that there may be alerts to deliver.
  func alertsAreDue()

  /// Logs a payment that isn't what was charged.
  func tell(ofPaymentDifference reason: String)

  /// Says that there may be charges to collect.
  func chargesAreDue()

  /// Takes over what the ledger says now; returns when it is in force, or false where it can't be.
  func takeOverLedger() async -> Bool
}
