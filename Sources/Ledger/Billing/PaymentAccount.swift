public import Time

/// A client's account at the payment provider, as `payment_accounts` records it.
public struct PaymentAccount: Hashable, Sendable {
  public var clientID: String
  /// The provider's ID of the payer.
  public var customerID: String
  /// The provider's ID of the subscription that pays the plan's monthly fixed fee; nil for none.
  public var subscriptionID: String?
  /// The status of the subscription.
  public var status: StoredSubscription.Status
  /// The time of the provider's latest event about the subscription.
  public var latestEvent: Timestamp?

  public init(
    clientID: String, customerID: String, subscriptionID: String? = nil,
    status: StoredSubscription.Status = .active, latestEvent: Timestamp? = nil
  ) {
    self.clientID = clientID
    self.customerID = customerID
    self.subscriptionID = subscriptionID
    self.status = status
    self.latestEvent = latestEvent
  }
}

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

/// Reads and writes `payment_pauses`: the clients whose requests are refused until their charges
/// are paid.
struct PaymentPauseStore {
  private let connection: DatabaseConnection
  private let auditLog: AuditLogStore

  init(_ connection: DatabaseConnection) {
    self.connection = connection
    auditLog = AuditLogStore(connection)
  }

  func all() throws(LedgerError) -> Set<String> {
    try clients("SELECT client_id FROM payment_pauses")
  }

  /// Updates the table from the charges. Each change is written to the audit log, which a running
  /// server follows. Returns whether anything changed.
  func sync(failingSince deadline: Timestamp?, at now: Timestamp) throws(LedgerError) -> Bool {
    let overdue = try deadline.map { deadline throws(LedgerError) in
      try clients(PaymentPauseStore.overdue, deadline.rfc3339)
    }
    let paused = try all()
    for client in (overdue ?? []).subtracting(paused) {
      try set("INSERT INTO payment_pauses (client_id, since) VALUES (?, ?)", client, now.rfc3339)
      try note("client.pause", client, at: now)
    }
    for client in paused.subtracting(overdue ?? []) {
      try set("DELETE FROM payment_pauses WHERE client_id = ?", client)
      try note("client.resume", client, at: now)
    }
    return overdue ?? [] != paused
  }

  private func clients(_ sql: String, _ value: String? = nil) throws(LedgerError) -> Set<String> {
    let select = try connection.prepare(sql)
    if let value { select.bind(value, at: 1) }
    return Set(
      try select.rows { fields throws(LedgerError) in
        try fields.requiredText("client_id", of: "a payment pause")
      })
  }

  private func set(_ sql: String, _ values: String...) throws(LedgerError) {
    let change = try connection.prepare(sql)
    for (index, value) in values.enumerated() { change.bind(value, at: Int32(index + 1)) }
    try change.run()
  }

  private func note(_ action: String, _ client: String, at now: Timestamp) throws(LedgerError) {
    try auditLog.append(
      AuditEntry(
        actor: "billing", action: action, target: "client:\(client)", clientID: client,
        before: nil, after: nil, createdAt: now))
  }

  private static let overdue = """
    SELECT DISTINCT client_id FROM token_billing_charges
    WHERE failing_since <= ? AND status <> 'succeeded'
    """
}
