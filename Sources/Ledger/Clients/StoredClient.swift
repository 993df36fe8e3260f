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

/// All clients and their objects in force that no file declares.
public struct StoredClients: Hashable, Sendable {
  public var clients: [StoredClient]
  /// Keys of these clients, and of clients that a file declares.
  public var keys: [StoredKey]
  /// Budgets of these clients, and of clients that a file declares.
  public var budgets: [StoredBudget]
  /// Prices of these clients, and of clients that a file declares.
  public var priceOverrides: [StoredPriceOverride]
  public var plans: [StoredPlan]
  /// Subscriptions of these clients, and of clients that a file declares.
  public var subscriptions: [StoredSubscription]
  /// Clients whose charges have been unpaid for too long.
  public var overdue: Set<String>

  public init(
    clients: [StoredClient], keys: [StoredKey], budgets: [StoredBudget] = [],
    priceOverrides: [StoredPriceOverride] = [], plans: [StoredPlan] = [],
    subscriptions: [StoredSubscription] = [], overdue: Set<String> = []
  ) {
    self.clients = clients
    self.keys = keys
    self.budgets = budgets
    self.priceOverrides = priceOverrides
    self.plans = plans
    self.subscriptions = subscriptions
    self.overdue = overdue
  }
}

/// Writes and reads a client's fields with the names of `clients`, in the order of its columns.
extension StoredClient {
  func write(to fields: inout some FieldWriter) {
    fields.write("id", id)
    fields.write("name", name)
    fields.write("timezone", timeZone)
    fields.write("status", status.rawValue)
    fields.write("payment_customer_id", paymentCustomerID)
    fields.write("markup", markup?.description)
    fields.write("metadata", metadata)
    fields.write("created_at", createdAt.rfc3339)
    fields.write("updated_at", updatedAt.rfc3339)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let id = try fields.requiredText("id", of: "a client")
    let record = "client \(id)"
    self.init(
      id: id, name: try fields.requiredText("name", of: record),
      timeZone: try fields.requiredText("timezone", of: record),
      status: try fields.required(
        "status", of: record, fields.text("status").flatMap { Status(rawValue: $0) }),
      paymentCustomerID: fields.text("payment_customer_id"),
      markup: try fields.markup(of: record),
      metadata: try fields.requiredText("metadata", of: record),
      createdAt: try fields.requiredInstant("created_at", of: record),
      updatedAt: try fields.requiredInstant("updated_at", of: record))
  }
}

extension FieldReader {
  /// Returns the field `markup`; nil if it is missing or NULL.
  func markup(of record: String) throws(LedgerError) -> Markup? {
    guard let text = text("markup") else { return nil }
    return try required("markup", of: record, Markup(text))
  }

  /// Returns nil if the field is missing, NULL, or not a time.
  func instant(_ name: String) -> Timestamp? {
    text(name).flatMap { Timestamp(rfc3339: $0) }
  }

  func requiredInstant(_ name: String, of record: String) throws(LedgerError) -> Timestamp {
    try required(name, of: record, instant(name))
  }
}
