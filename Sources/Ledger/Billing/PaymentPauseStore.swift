internal import Time

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
