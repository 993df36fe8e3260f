internal import JSON
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

extension StoredSubscription: TableRecord {
  static let table = RecordTable<StoredSubscription>(
    "subscriptions", key: ["client_id"], ifUnreadable: .closesClient,
    blank: StoredSubscription(
      clientID: "", plan: "", startedOn: CivilDate(daysSinceEpoch: 0),
      createdAt: Timestamp(milliseconds: 0)),
    title: { "the subscription of client \($0.clientID)" },
    columns: [
      RecordColumn("client_id", \.clientID),
      RecordColumn("plan", \.plan),
      RecordColumn("started_on", \.startedOn),
      RecordColumn("status", \.status),
      RecordColumn("created_at", \.createdAt),
      RecordColumn("updated_at", \.updatedAt),
    ])
}

extension StoredSubscription.Status: ColumnValue {}

extension StoredSubscription: AdministeredRecord {
  var auditTarget: String { "subscription:\(clientID)" }
  var auditedClient: String? { clientID }

  func writeAudited(to object: inout JSONWriter) {
    object.member("plan", plan)
    object.member("started_on", startedOn.description)
    object.member("status", status.rawValue)
  }
}
