public import Budgets
public import Time

/// An alert that was recorded.
public struct RecordedAlert: Hashable, Sendable {
  /// The alert's number in `alerts`.
  public var number: Int64
  /// The alert's ID in deliveries, a UUID.
  public var id: String
  public var alert: Alert
}

/// The alerts of one budget that have no deliveries yet.
public struct UnplannedAlerts: Hashable, Sendable {
  public var budget: BudgetID
  /// Whether they are about a whole client or a charge. Each such alert has its own message.
  public var areAlone: Bool
  public var count: Int64
}

/// Alerts of one budget's subjects that share one message.
public struct GatheredAlerts: Hashable, Sendable {
  /// The alerts that reached the same percentage, or that report refusals.
  public struct Kind: Hashable, Sendable {
    /// The percentage; nil for refusals.
    public var percent: Int?
    public var count: Int64

    public init(percent: Int?, count: Int64) {
      self.percent = percent
      self.count = count
    }
  }

  /// The most severe alert, whose ID the message has.
  public var lead: RecordedAlert
  /// The kinds, the most severe first.
  public var kinds: [Kind]
  /// The most severe alerts, beginning with `lead`; at most `mostNamed`.
  public var named: [RecordedAlert]

  public static let mostNamed = 100

  public init(lead: RecordedAlert, kinds: [Kind], named: [RecordedAlert]) {
    self.lead = lead
    self.kinds = kinds
    self.named = named
  }

  public var count: Int64 { kinds.reduce(0) { $0 + $1.count } }
}

/// The text of an alert. It is composed once, so that all its deliveries are equal.
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

/// The delivery of an alert through one channel.
public struct AlertDelivery: Hashable, Sendable {
  /// The alert's number in `alerts`.
  public var alert: Int64
  /// The alert's ID, a UUID: the same in every attempt.
  public var alertID: String
  /// The channel, for example `webhook:0`.
  public var channel: String
  /// The number of attempts so far.
  public var attempts: Int
  public var text: AlertText
}

/// The state of a delivery, as the admin API lists it.
public struct AlertDeliveryStatus: Hashable, Sendable {
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// A further attempt will be made.
    case pending
    case delivered
    /// All attempts failed, or the channel no longer exists.
    case failed
    /// Another alert's message includes this alert.
    case gathered
  }

  public var channel: String
  public var state: State
  public var attempts: Int
  public var lastError: String?
  public var deliveredAt: Timestamp?
}

/// The outcome of one attempt.
public enum AlertAttempt: Hashable, Sendable {
  case delivered(at: Timestamp)
  /// The attempt failed. The next one is at `nextAttemptAt`; nil ends the attempts.
  case failed(reason: String, nextAttemptAt: Timestamp?)
}
