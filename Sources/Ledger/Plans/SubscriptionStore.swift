internal import Time

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
