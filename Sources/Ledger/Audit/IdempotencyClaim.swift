public import Time

/// The idempotency key of a call. It is claimed in the transaction of the call's change.
///
/// The key and the change are committed together or not at all. A repeated call therefore finds the
/// key exactly if the change was made, whatever server made it and whatever process died meanwhile.
public struct IdempotencyClaim: Hashable, Sendable {
  /// The caller, for example `token:bars`; `usage:CLIENT` for usage that a client reports.
  public var owner: String
  public var key: String
  /// The SHA-256 of the request, as 64 hexadecimal digits.
  public var requestSHA256: String
  public var createdAt: Timestamp
  /// Whether the answer shows a secret, which is never stored.
  public var hasSecret: Bool
  /// The longest time that a call may act, if it claims its key before it acts and changes nothing
  /// in this transaction. Nil if the change is committed together with the key.
  public var actsWithin: Duration?

  public init(
    owner: String, key: String, requestSHA256: String, createdAt: Timestamp,
    hasSecret: Bool = false
  ) {
    self.owner = owner
    self.key = key
    self.requestSHA256 = requestSHA256
    self.createdAt = createdAt
    self.hasSecret = hasSecret
  }

  /// The time for which the ledger keeps a key. Keys of reported usage are kept forever.
  public static let lifetime = Duration.seconds(86_400)

  private static let usagePrefix = "usage:"

  /// Returns the owner of the keys in a client's usage reports.
  public static func usageOwner(of clientID: String) -> String { usagePrefix + clientID }

  /// The time that a call may take besides its work: 20 seconds to claim its key, and the same to
  /// store its answer.
  private static let marginOfActing = Duration.seconds(60)

  /// The time at which the key is forgotten; nil if it is kept forever.
  ///
  /// The key of an acting call is kept as long as the call can act, and for its whole lifetime once
  /// the answer is stored. If the server dies meanwhile, the call can therefore be repeated soon.
  ///
  /// Example: a call that acts for at most 10 seconds leaves its key for 70.
  var expiresAt: Timestamp? {
    if owner.hasPrefix(IdempotencyClaim.usagePrefix) { return nil }
    let lifetime = actsWithin.map { $0 + IdempotencyClaim.marginOfActing }
    return createdAt.advanced(by: lifetime ?? IdempotencyClaim.lifetime)
  }

  /// The claim of a call that has finished acting.
  var acted: IdempotencyClaim {
    var claim = self
    claim.actsWithin = nil
    return claim
  }
}

/// A claimed key, with the call's answer if it is stored.
public struct ClaimedKey: Hashable, Sendable {
  /// The answer of a call.
  public struct Answer: Hashable, Sendable {
    public var status: Int
    public var body: String

    public init(status: Int, body: String) {
      self.status = status
      self.body = body
    }
  }

  public var requestSHA256: String
  public var createdAt: Timestamp
  /// The result of the change, for example the ID of a new object, from which the answer can be
  /// made again. Nil for an answer with a secret.
  public var outcome: String?
  /// The stored answer; nil until it is stored, and for an answer with a secret.
  public var answer: Answer?

  public init(
    requestSHA256: String, createdAt: Timestamp, outcome: String?, answer: Answer? = nil
  ) {
    self.requestSHA256 = requestSHA256
    self.createdAt = createdAt
    self.outcome = outcome
    self.answer = answer
  }
}

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

extension LedgerReader {
  /// Returns a claimed idempotency key; nil if it wasn't claimed within its lifetime.
  /// - Throws: `LedgerError` if the database can't be read, or the row can't be understood.
  public func claimedKey(
    _ key: String, of owner: String, at now: Timestamp
  ) throws(LedgerError) -> ClaimedKey? {
    try IdempotencyKeyStore(connection).find(key, of: owner, at: now)
  }
}
