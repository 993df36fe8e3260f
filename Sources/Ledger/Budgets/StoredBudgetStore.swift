internal import Budgets
internal import Time

/// Reads and writes the rows of `client_budgets` that no file declares.
struct StoredBudgetStore {
  private let connection: DatabaseConnection

  init(_ connection: DatabaseConnection) {
    self.connection = connection
  }

  /// Returns all budgets, by ID.
  func all() throws(LedgerError) -> [StoredBudget] {
    let select = try connection.prepare(
      "SELECT * FROM client_budgets WHERE source = 'api' ORDER BY id")
    return try select.rows(
      passingOver: connection.unreadable, .closesClient, StoredBudget.init(from:))
  }

  func find(_ id: BudgetID) throws(LedgerError) -> StoredBudget? {
    let select = try connection.prepare(
      "SELECT * FROM client_budgets WHERE source = 'api' AND id = ?")
    select.bind(id.description)
    return try select.firstRow(StoredBudget.init(from:))
  }

  func replace(_ budget: StoredBudget) throws(LedgerError) {
    let replace = try connection.prepare(StoredBudgetStore.replaceBudget)
    var parameters = ParameterWriter(replace)
    budget.write(to: &parameters)
    parameters.write("source", "api")
    try replace.run()
  }

  func remove(_ id: BudgetID) throws(LedgerError) {
    let remove = try connection.prepare(
      "DELETE FROM client_budgets WHERE source = 'api' AND id = ?")
    try remove.run(id.description)
  }

  /// The columns of `StoredBudget.write(to:)`, in its order, and the source.
  private static let replaceBudget = Upsert(
    into: "client_budgets", key: ["id"],
    columns: [
      "id", "client_id", "name", "per", "mode", "limit_tokens", "limit_cost_nano", "currency",
      "period", "enforcement", "alerts", "created_at", "updated_at", "source",
    ]
  ).sql
}
