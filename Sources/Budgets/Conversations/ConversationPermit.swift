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

/// A question to the shared ledger: whether a conversation may go on or begin.
public struct ConversationRequest: Hashable, Sendable {
  public let key: ConversationKey
  /// When the period ends; nil for one that never does.
  public let windowEnd: Timestamp?
  /// How many conversations may begin in it.
  public let limit: Int64
  /// Of the permit that is asked for; no other permit of this replica has it.
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

/// What the ledger has said to a `ConversationRequest`.
public struct ConversationAnswer: Hashable, Sendable {
  public enum Permission: Hashable, Sendable {
    /// It was begun before, at whichever replica, and goes on.
    case begun
    /// It may begin, and has one of the limit's places until it has or the permit is given back.
    case permitted
    /// All places are taken.
    case refused
  }

  public let request: ConversationRequest
  public let permission: Permission
  /// How many conversations have begun in the period, at all replicas.
  public let begun: Int64
  /// How many others may begin, at any replica.
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

/// A permit that a replica doesn't use any more.
public struct ConversationReturn: Hashable, Sendable {
  public let key: ConversationKey
  public let number: Int64

  public init(of key: ConversationKey, number: Int64) {
    self.key = key
    self.number = number
  }
}

/// A call's part in the permit of its conversation, from before it is let in until that is decided.
public struct ConversationClaim: Sendable {
  let key: ConversationKey
  /// What has to be asked first; nil where the permit is there.
  public let request: ConversationRequest?
}
