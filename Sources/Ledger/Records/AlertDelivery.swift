public import Time

/// An alert that was recorded.
public struct RecordedAlert: Hashable, Sendable {
  /// Its number in `alerts`.
  public var number: Int64
  /// Its name in deliveries, a UUID.
  public var id: String
  public var alert: Alert
}

/// What an alert says, composed once, so that each of its deliveries says the same.
public struct AlertText: Hashable, Sendable {
  /// One sentence.
  public var sentence: String
  /// A JSON object.
  public var body: String

  public init(sentence: String, body: String) {
    self.sentence = sentence
    self.body = body
  }
}

/// An alert on its way through one channel.
public struct AlertDelivery: Hashable, Sendable {
  /// The alert's number in `alerts`.
  public var alert: Int64
  /// The alert's name, a UUID: the same in every attempt.
  public var alertID: String
  /// Such as `webhook:0`.
  public var channel: String
  /// How often it was tried.
  public var attempts: Int
  public var text: AlertText
}

/// How a delivery stands, as the admin API lists it.
public struct AlertDeliveryStatus: Hashable, Sendable {
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// It will be tried, perhaps again.
    case pending
    case delivered
    /// It was tried often enough, or its channel is gone.
    case failed
  }

  public var channel: String
  public var state: State
  public var attempts: Int
  public var lastError: String?
  public var deliveredAt: Timestamp?
}

/// What became of one attempt.
public enum AlertAttempt: Hashable, Sendable {
  case delivered(at: Timestamp)
  /// It is tried again at `nextAttemptAt`; nil gives it up.
  case failed(reason: String, nextAttemptAt: Timestamp?)
}
