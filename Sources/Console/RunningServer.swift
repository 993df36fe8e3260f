public import Budgets
public import Configuration
public import Pricing

/// What the console needs of the server that it is a part of.
public protocol RunningServer: Sendable {
  /// The settings in force.
  var settings: Settings { get }
  /// All clients in force: those of the files, and those that the ledger keeps.
  var clients: ClientRegistry { get }
  /// The price book in force, without clients' own prices.
  var prices: PriceBook { get }
  /// The SQLite file that requests are recorded in.
  var ledgerPath: String { get }
  /// Whether the ledger's last attempt to write succeeded.
  var isLedgerHealthy: Bool { get }

  /// Reads how the budgets stand, all as of one instant.
  func readBudgets<Answer: Sendable>(_ body: @Sendable (BudgetState) -> Answer) -> Answer

  /// Takes over what the ledger says now; returns when it is in force, or false where it can't be.
  func takeOverLedger() async -> Bool
}
