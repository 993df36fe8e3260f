public import Budgets
public import Configuration
public import Ledger
public import Time

/// What alerts need of the server that they are a part of.
public protocol AlertingServer: Sendable {
  /// The settings in force.
  var settings: Settings { get }
  /// All clients in force.
  var clients: ClientRegistry { get }

  /// A budget as the admin API shows it, a JSON object; nil where it is gone.
  func budgetObject(
    _ id: BudgetID, of subject: String, at now: Timestamp
  ) throws(LedgerError) -> [UInt8]?
}
