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

/// Writes and reads a subscription's fields with the names of `subscriptions`, in the order of its
/// columns.
extension StoredSubscription {
  func write(to fields: inout some FieldWriter) {
    fields.write("client_id", clientID)
    fields.write("plan", plan)
    fields.write("started_on", startedOn.description)
    fields.write("status", status.rawValue)
    fields.write("created_at", createdAt.rfc3339)
    fields.write("updated_at", updatedAt.rfc3339)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let clientID = try fields.requiredText("client_id", of: "a subscription")
    let record = "the subscription of client \(clientID)"
    self.init(
      clientID: clientID, plan: try fields.requiredText("plan", of: record),
      startedOn: try fields.required(
        "started_on", of: record, fields.text("started_on").flatMap(CivilDate.init)),
      status: try fields.required(
        "status", of: record, fields.text("status").flatMap { Status(rawValue: $0) }),
      createdAt: try fields.requiredInstant("created_at", of: record),
      updatedAt: try fields.requiredInstant("updated_at", of: record))
  }

  /// The subscription in the audit log, as JSON.
  var auditObject: String {
    var writer = JSONWriter()
    writer.object { object in
      object.member("plan", plan)
      object.member("started_on", startedOn.description)
      object.member("status", status.rawValue)
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
