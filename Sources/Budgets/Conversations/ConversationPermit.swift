public import Time

/// A conversation of a client in one period of the client's plan.
public struct ConversationKey: Hashable, Sendable {
  public let client: String
  public let windowStart: Timestamp
  public let conversation: String

  public init(client: String, windowStart: Timestamp, conversation: String) {
    self.client = client
    self.windowStart = windowStart
    self.conversation = conversation
  }
}

/// A question to the shared ledger: may this conversation go on or begin?
public struct ConversationRequest: Hashable, Sendable {
  public let key: ConversationKey
  /// The end of the period; nil if the period is `total`.
  public let windowEnd: Timestamp?
  /// The number of conversations that may begin in the period.
  public let limit: Int64
  /// The number of the requested permit, unique among this replica's permits.
  public let number: Int64
  public let askedAt: Timestamp

  public init(
    _ key: ConversationKey, windowEnd: Timestamp?, limit: Int64, number: Int64, askedAt: Timestamp
  ) {
    self.key = key
    self.windowEnd = windowEnd
    self.limit = limit
    self.number = number
    self.askedAt = askedAt
  }
}

/// The ledger's answer to a `ConversationRequest`.
public struct ConversationAnswer: Hashable, Sendable {
  public enum Permission: Hashable, Sendable {
    /// The conversation has begun earlier, at any replica, and goes on.
    case begun
    /// The conversation may begin. It has one of the limit's places until it has begun or the
    /// permit is given back.
    case permitted
    /// All places are taken.
    case refused
  }

  public let request: ConversationRequest
  public let permission: Permission
  /// The number of conversations that have begun in the period, at all replicas.
  public let begun: Int64
  /// The number of other conversations that may begin, at all replicas.
  public let permitted: Int64

  public init(
    to request: ConversationRequest, _ permission: Permission, begun: Int64, permitted: Int64
  ) {
    self.request = request
    self.permission = permission
    self.begun = begun
    self.permitted = permitted
  }
}

/// A permit that a replica no longer uses.
public struct ConversationReturn: Hashable, Sendable {
  public let key: ConversationKey
  public let number: Int64

  public init(of key: ConversationKey, number: Int64) {
    self.key = key
    self.number = number
  }
}

/// A call's use of its conversation's permit, from before admission until the decision.
public struct ConversationClaim: Sendable {
  let key: ConversationKey
  /// The question to ask first; nil if the permit is already granted.
  public let request: ConversationRequest?
}
