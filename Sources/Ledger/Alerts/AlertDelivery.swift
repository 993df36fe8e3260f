public import Budgets
public import Time

/// An alert that was recorded.
public struct RecordedAlert: Hashable, Sendable {
  /// Its number in `alerts`.
  public var number: Int64
  /// Its name in deliveries, a UUID.
  public var id: String
  public var alert: Alert
}

/// Alerts of one budget that have no deliveries yet.
public struct UnplannedAlerts: Hashable, Sendable {
  public var budget: BudgetID
  /// Whether they are about a whole client or a charge: each of them is always told by itself.
  public var areAlone: Bool
  public var count: Int64
}

/// Alerts of one budget's subjects that are told in one message.
public struct GatheredAlerts: Hashable, Sendable {
  /// Those that reached one percentage, or that were refused.
  public struct Kind: Hashable, Sendable {
    /// Nil for refusals.
    public var percent: Int?
    public var count: Int64

    public init(percent: Int?, count: Int64) {
      self.percent = percent
      self.count = count
    }
  }

  /// The gravest, under whose id all of them are told.
  public var lead: RecordedAlert
  /// The gravest first.
  public var kinds: [Kind]
  /// The gravest of them, `lead` first; at most `mostNamed`.
  public var named: [RecordedAlert]

  public static let mostNamed = 100

  public init(lead: RecordedAlert, kinds: [Kind], named: [RecordedAlert]) {
    self.lead = lead
    self.kinds = kinds
    self.named = named
  }

  public var count: Int64 { kinds.reduce(0) { $0 + $1.count } }
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
    /// Another alert's message tells it too.
    case gathered
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
