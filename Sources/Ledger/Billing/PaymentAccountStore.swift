internal import Time

/// Reads and writes `payment_accounts`: the clients' accounts at the payment provider.
struct PaymentAccountStore {
  private let connection: DatabaseConnection

  init(_ connection: DatabaseConnection) {
    self.connection = connection
  }

  func find(_ clientID: String) throws(LedgerError) -> PaymentAccount? {
    try find("client_id", clientID)
  }

  func find(customer: String) throws(LedgerError) -> PaymentAccount? {
    try find("customer_id", customer)
  }

  func find(subscription: String) throws(LedgerError) -> PaymentAccount? {
    try find("subscription_id", subscription)
  }

  /// - Parameter column: A constant.
  private func find(_ column: String, _ value: String) throws(LedgerError) -> PaymentAccount? {
    let select = try connection.prepare(
      "SELECT * FROM payment_accounts WHERE \(column) = ? ORDER BY client_id LIMIT 1")
    select.bind(value)
    return try select.firstRow { fields throws(LedgerError) in
      let record = "a payment account"
      return PaymentAccount(
        clientID: try fields.requiredText("client_id", of: record),
        customerID: try fields.requiredText("customer_id", of: record),
        subscriptionID: fields.text("subscription_id"),
        status: try fields.required(
          "status", of: record,
          fields.text("status").flatMap { StoredSubscription.Status(rawValue: $0) }),
        latestEvent: fields.text("event_at").flatMap { Timestamp(rfc3339: $0) })
    }
  }

  func replace(_ account: PaymentAccount, at now: Timestamp) throws(LedgerError) {
    let replace = try connection.prepare(PaymentAccountStore.replaceRow)
    try replace.run(
      account.clientID, account.customerID, account.subscriptionID, account.status.rawValue,
      account.latestEvent?.rfc3339, now.rfc3339)
  }

  private static let replaceRow = Upsert(
    into: "payment_accounts", key: ["client_id"],
    columns: [
      "client_id", "customer_id", "subscription_id", "status", "event_at", "updated_at",
    ]
  ).sql
}
