internal import Time

/// Reads and writes `plans`: the plans that no file declares.
struct PlanStore {
  private let connection: DatabaseConnection

  init(_ connection: DatabaseConnection) {
    self.connection = connection
  }

  /// Returns all plans, by name.
  func all() throws(LedgerError) -> [StoredPlan] {
    let select = try connection.prepare("SELECT * FROM plans ORDER BY name")
    return try select.rows { fields throws(LedgerError) in
      do throws(LedgerError) {
        return try StoredPlan(from: fields)
      } catch {
        guard case .unreadable(let record) = error, let unreadable = connection.unreadable
        else { throw error }
        // Clients on an unreadable plan must not fall back to another plan, so it is returned as
        // closed.
        let name = try fields.requiredText("name", of: "a plan")
        unreadable.note(
          UnreadableRow(clientID: nil, record: "plan \(name): \(record)", effect: .closesPlan))
        return StoredPlan(closed: name)
      }
    }
  }

  func find(_ name: String) throws(LedgerError) -> StoredPlan? {
    try all().first { $0.name == name }
  }

  func replace(_ plan: StoredPlan) throws(LedgerError) {
    let replace = try connection.prepare(PlanStore.replacePlan)
    var parameters = ParameterWriter(replace)
    plan.write(to: &parameters)
    try replace.run()
  }

  func remove(_ name: String) throws(LedgerError) {
    let remove = try connection.prepare("DELETE FROM plans WHERE name = ?")
    try remove.run(name)
  }

  /// The columns of `StoredPlan.write(to:)`, in its order.
  private static let replacePlan = Upsert(
    into: "plans", key: ["name"],
    columns: [
      "name", "display_name", "monthly_tokens", "monthly_conversations", "currency",
      "fixed_fee_nano", "measure", "included", "overage_every", "overage_charge_nano", "markup",
      "created_at", "updated_at",
    ]
  ).sql
}

/// Reads and writes `subscriptions`: the plans of clients that aren't on the default plan.
struct SubscriptionStore {
  private let connection: DatabaseConnection

  init(_ connection: DatabaseConnection) {
    self.connection = connection
  }

  /// Returns all subscriptions, by client ID.
  func all() throws(LedgerError) -> [StoredSubscription] {
    let select = try connection.prepare("SELECT * FROM subscriptions ORDER BY client_id")
    return try select.rows(
      passingOver: connection.unreadable, .closesClient, StoredSubscription.init(from:))
  }

  func find(_ clientID: String) throws(LedgerError) -> StoredSubscription? {
    let select = try connection.prepare("SELECT * FROM subscriptions WHERE client_id = ?")
    select.bind(clientID)
    return try select.firstRow(StoredSubscription.init(from:))
  }

  func replace(_ subscription: StoredSubscription) throws(LedgerError) {
    let replace = try connection.prepare(SubscriptionStore.replaceSubscription)
    var parameters = ParameterWriter(replace)
    subscription.write(to: &parameters)
    try replace.run()
  }

  func remove(_ clientID: String) throws(LedgerError) {
    let remove = try connection.prepare("DELETE FROM subscriptions WHERE client_id = ?")
    try remove.run(clientID)
  }

  /// The columns of `StoredSubscription.write(to:)`, in its order.
  private static let replaceSubscription = Upsert(
    into: "subscriptions", key: ["client_id"],
    columns: [
      "client_id", "plan", "started_on", "status", "created_at", "updated_at",
    ]
  ).sql
}
