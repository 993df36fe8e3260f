internal import JSON
public import Money
public import Time

/// A client that no file declares, as `clients` records it.
public struct StoredClient: Hashable, Sendable {
  public enum Status: String, Sendable, Hashable, CaseIterable {
    case active
    case suspended
  }

  public var id: String
  public var name: String
  /// The IANA name of the client's time zone.
  public var timeZone: String
  public var status: Status
  /// The payment provider's ID of the client; nil if it has none.
  public var paymentCustomerID: String?
  /// The client's markup; nil for its plan's.
  public var markup: Markup?
  /// A JSON object.
  public var metadata: String
  public var createdAt: Timestamp
  public var updatedAt: Timestamp

  public init(
    id: String, name: String, timeZone: String, status: Status = .active,
    paymentCustomerID: String? = nil, markup: Markup? = nil, metadata: String = "{}",
    createdAt: Timestamp, updatedAt: Timestamp? = nil
  ) {
    self.id = id
    self.name = name
    self.timeZone = timeZone
    self.status = status
    self.paymentCustomerID = paymentCustomerID
    self.markup = markup
    self.metadata = metadata
    self.createdAt = createdAt
    self.updatedAt = updatedAt ?? createdAt
  }
}

extension StoredClient: TableRecord {
  static let table = RecordTable<StoredClient>(
    "clients", key: ["id"], where: "deleted_at IS NULL", ifUnreadable: .closesClient,
    clientColumn: "id",
    blank: StoredClient(id: "", name: "", timeZone: "", createdAt: Timestamp(milliseconds: 0)),
    title: { "client \($0.id)" },
    columns: [
      RecordColumn("id", \.id),
      RecordColumn("name", \.name),
      RecordColumn("timezone", \.timeZone),
      RecordColumn("status", \.status),
      RecordColumn("payment_customer_id", \.paymentCustomerID),
      RecordColumn("markup", \.markup),
      RecordColumn("metadata", \.metadata),
      RecordColumn("created_at", \.createdAt),
      RecordColumn("updated_at", \.updatedAt),
    ])
}

extension StoredClient.Status: ColumnValue {}

extension StoredClient: AdministeredRecord {
  var auditTarget: String { "client:\(id)" }
  var auditedClient: String? { id }

  func writeAudited(to object: inout JSONWriter) {
    object.member("id", id)
    object.member("name", name)
    object.member("timezone", timeZone)
    object.member("status", status.rawValue)
    object.member("payment_customer_id", paymentCustomerID)
    object.member("markup", markup?.description)
    object.member("metadata") { $0.raw(metadata.utf8) }
  }
}
