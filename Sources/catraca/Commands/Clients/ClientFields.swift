internal import Configuration
internal import Console
internal import JSON
internal import Ledger
internal import Money
internal import Time

/// A client as the API shows it.
enum ClientFields {
  static let columns = [
    Table.Column("id", "Client"), Table.Column("name", "Name"), Table.Column("plan", "Plan"),
    Table.Column("markup", nil), Table.Column("timezone", "Time zone"),
    Table.Column("status", "Status"),
    Table.Column("source", "Source"), Table.Column("payment_customer_id", nil),
    Table.Column("metadata", nil), Table.Column("provider_keys", nil),
    Table.Column("created_at", "Created"),
    Table.Column("updated_at", nil),
  ]

  /// `stored` is nil for a client that a file declares.
  static func row(_ client: Client, _ stored: StoredClient?) -> [Cell] {
    [
      .text(client.id), .text(client.name), .optional(client.plan),
      .optional(client.markup?.description),
      .text(client.timeZone.identifier), .text(client.status.rawValue),
      .text(client.line == nil ? "api" : "file"), .optional(client.paymentCustomerID),
      .json(stored?.metadata ?? json(client.metadata)), .json(providerKeys(of: client)),
      .instant(stored?.createdAt),
      .instant(stored?.updatedAt),
    ]
  }

  /// The record of one client of the directory.
  static func record(_ id: String, in directory: ClientDirectory) throws(CommandError) -> Record {
    let client = try directory.client(id)
    return Record(columns, row(client, directory.stored.clients.first { $0.id == id }))
  }

  private static func providerKeys(of client: Client) -> String {
    var writer = JSONWriter()
    writer.providerKeys(client.providerKeys)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private static func json(_ metadata: [String: String]) -> String {
    var writer = JSONWriter()
    writer.object { object in
      for (key, value) in metadata.sorted(by: { $0.key < $1.key }) { object.member(key, value) }
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
