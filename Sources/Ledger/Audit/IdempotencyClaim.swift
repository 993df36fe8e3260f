public import Time

/// The idempotency key of a call, to be claimed in the transaction of what the call changes.
///
/// The key and the change are committed together or not at all. So a repeated call finds the key
/// exactly if the change was made, whichever server made it and whatever died meanwhile.
public struct IdempotencyClaim: Hashable, Sendable {
  /// Who called, such as `token:bars`; `usage:CLIENT` for usage that a client reports.
  public var owner: String
  public var key: String
  /// The SHA-256 of the request, 64 hexadecimal digits.
  public var requestSHA256: String
  public var createdAt: Timestamp
  /// Whether the answer shows a secret, which is never stored.
  public var hasSecret: Bool
  /// For how long a call may act that claims its key before it acts, and changes nothing in this
  /// transaction. Nil for a call whose change is committed with its key.
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

  /// How long the ledger keeps a key. It keeps the keys of reported usage for ever.
  public static let lifetime = Duration.seconds(86_400)

  private static let usagePrefix = "usage:"

  /// Whose keys the reports of a client's usage bring.
  public static func usageOwner(of clientID: String) -> String { usagePrefix + clientID }

  /// The time that a call may take beside its work: 20 seconds to claim its key, and as long to
  /// store its answer.
  private static let marginOfActing = Duration.seconds(60)

  /// When the key is forgotten; nil for a key that is kept for ever.
  ///
  /// The key of a call that acts is kept for as long as the call can act, and for its whole
  /// lifetime once its answer is stored. So if the server dies meanwhile, the call can be repeated
  /// soon. Example: a call that acts for at most 10 seconds leaves its key for 70.
  var expiresAt: Timestamp? {
    if owner.hasPrefix(IdempotencyClaim.usagePrefix) { return nil }
    let lifetime = actsWithin.map { $0 + IdempotencyClaim.marginOfActing }
    return createdAt.advanced(by: lifetime ?? IdempotencyClaim.lifetime)
  }

  /// The same, of a call that has acted.
  var acted: IdempotencyClaim {
    var claim = self
    claim.actsWithin = nil
    return claim
  }
}

/// A key that was claimed, and the answer of its call as far as it is stored.
public struct ClaimedKey: Hashable, Sendable {
  /// What a call answered.
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
  /// What the change came to, such as the id of what it made; from it the answer can be made
  /// again. Nil for an answer with a secret.
  public var outcome: String?
  /// Nil until it is stored, and for an answer with a secret.
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
