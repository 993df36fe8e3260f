internal import Time

/// Reads and writes `idempotent_answers`: the idempotency keys of calls whose changes are
/// committed, with the calls' answers.
struct IdempotencyKeyStore {
  private let connection: DatabaseConnection

  init(_ connection: DatabaseConnection) {
    self.connection = connection
  }

  /// Returns the key if it was claimed and hasn't expired.
  func find(
    _ key: String, of owner: String, at now: Timestamp
  ) throws(LedgerError) -> ClaimedKey? {
    let select = try connection.prepare(
      """
      SELECT * FROM idempotent_answers
      WHERE owner = ? AND key = ? AND (expires_at IS NULL OR expires_at > ?)
      """)
    select.bind(owner, key, now.rfc3339)
    return try select.firstRow { fields throws(LedgerError) in
      let record = "an idempotency key"
      return ClaimedKey(
        requestSHA256: try fields.requiredText("request_sha256", of: record),
        createdAt: try fields.requiredInstant("created_at", of: record),
        outcome: fields.text("outcome"),
        answer: fields.text("body").map { body in
          ClaimedKey.Answer(status: Int(clamping: fields.integer("status") ?? 0), body: body)
        })
    }
  }

  /// Claims a key within the transaction of its change; returns false if it was already claimed.
  /// Waits for a transaction that is about to claim it.
  func claim(_ claim: IdempotencyClaim, outcome: String?) throws(LedgerError) -> Bool {
    let insert = try connection.prepare(
      """
      INSERT INTO idempotent_answers
        (owner, key, request_sha256, status, outcome, created_at, expires_at)
      VALUES (?, ?, ?, 0, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1
      """)
    insert.bind(
      claim.owner, claim.key, claim.requestSHA256, claim.hasSecret ? nil : outcome,
      claim.createdAt.rfc3339, claim.expiresAt?.rfc3339)
    return try insert.firstInteger() != nil
  }

  /// Stores a call's answer, unless another server has already stored one.
  func store(_ answer: ClaimedKey.Answer, of claim: IdempotencyClaim) throws(LedgerError) {
    let update = try connection.prepare(
      """
      UPDATE idempotent_answers SET status = ?, body = ?
      WHERE owner = ? AND key = ? AND request_sha256 = ? AND body IS NULL
      """)
    try update.run(answer.status, answer.body, claim.owner, claim.key, claim.requestSHA256)
  }

  /// Extends the key of a call that has acted to the whole lifetime.
  func keep(_ claim: IdempotencyClaim) throws(LedgerError) {
    let update = try connection.prepare(
      """
      UPDATE idempotent_answers SET expires_at = ?
      WHERE owner = ? AND key = ? AND request_sha256 = ?
      """)
    try update.run(claim.acted.expiresAt?.rfc3339, claim.owner, claim.key, claim.requestSHA256)
  }

  /// Deletes the expired keys.
  func prune(at now: Timestamp) throws(LedgerError) {
    let delete = try connection.prepare("DELETE FROM idempotent_answers WHERE expires_at <= ?")
    try delete.run(now.rfc3339)
  }
}
