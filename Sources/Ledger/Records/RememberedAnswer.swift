public import Time

/// What a call with an idempotency key was answered, so that its repetition is answered the same.
public struct RememberedAnswer: Hashable, Sendable {
  /// Who called, such as `token:bars`; `usage:CLIENT` for usage that was reported of a client,
  /// which is remembered for ever.
  public var owner: String
  /// The idempotency key.
  public var key: String
  /// The SHA-256 of what was asked, 64 hexadecimal digits.
  public var requestSHA256: String
  public var status: Int
  /// Nil where it held a secret, which is never stored.
  public var body: String?
  public var createdAt: Timestamp

  public init(
    owner: String, key: String, requestSHA256: String, status: Int, body: String?,
    createdAt: Timestamp
  ) {
    self.owner = owner
    self.key = key
    self.requestSHA256 = requestSHA256
    self.status = status
    self.body = body
    self.createdAt = createdAt
  }

  /// How long an answer is remembered.
  public static let lifetime = Duration.seconds(86_400)
}
