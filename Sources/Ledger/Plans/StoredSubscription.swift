public import Time

/// A client's subscription to a plan other than the default one, as `subscriptions` records it.
public struct StoredSubscription: Hashable, Sendable {
  public enum Status: String, Sendable, Hashable, CaseIterable {
    case active
    case pastDue = "past_due"
    case canceled
  }

  public var clientID: String
  public var plan: String
  /// The day, in the client's time zone, from which its monthly periods are counted.
  public var startedOn: CivilDate
  public var status: Status
  public var createdAt: Timestamp
  public var updatedAt: Timestamp

  public init(
    clientID: String, plan: String, startedOn: CivilDate, status: Status = .active,
    createdAt: Timestamp, updatedAt: Timestamp? = nil
  ) {
    self.clientID = clientID
    self.plan = plan
    self.startedOn = startedOn
    self.status = status
    self.createdAt = createdAt
    self.updatedAt = updatedAt ?? createdAt
  }
}
