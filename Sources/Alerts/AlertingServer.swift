public import Budgets
public import Configuration
public import Ledger
public import Time

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
