internal import JSON
public import Pricing
public import Time

/// A client's own prices for a model, as `pricing_config` records them. An override is never
/// changed; a new one replaces it.
public struct StoredPriceOverride: Hashable, Sendable {
  public var clientID: String
  /// The number among the client's overrides, including replaced and removed ones, from 1.
  public var number: Int64
  public var provider: String
  /// The model's name in the price book.
  public var model: String
  public var prices: AgreedPrices
  public var createdAt: Timestamp

  public init(
    clientID: String, number: Int64, provider: String, model: String, prices: AgreedPrices,
    createdAt: Timestamp
  ) {
    self.clientID = clientID
    self.number = number
    self.provider = provider
    self.model = model
    self.prices = prices
    self.createdAt = createdAt
  }

  /// The override's name in price versions: `acme/1`.
  public var label: String { "\(clientID)/\(number)" }
}

/// Writes and reads an override's fields with the names of `pricing_config`, in the order of its
/// columns.
extension StoredPriceOverride {
  func write(to fields: inout some FieldWriter) {
    fields.write("client_id", clientID)
    fields.write("number", number)
    fields.write("provider", provider)
    fields.write("model", model)
    fields.write("prices", pricesText)
    fields.write("created_at", createdAt.rfc3339)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let clientID = try fields.requiredText("client_id", of: "a price override")
    let record = "a price override of client \(clientID)"
    self.init(
      clientID: clientID,
      number: try fields.required("number", of: record, fields.integer("number")),
      provider: try fields.requiredText("provider", of: record),
      model: try fields.requiredText("model", of: record),
      prices: try AgreedPrices(
        json: try fields.requiredText("prices", of: record), of: "prices of \(record)"),
      createdAt: try fields.requiredInstant("created_at", of: record))
  }

  private var pricesText: String {
    var writer = JSONWriter()
    writer.object { $0.members(of: prices) }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// The override in the audit log, as JSON.
  var auditObject: String {
    var writer = JSONWriter()
    writer.object { object in
      object.member("client_id", clientID)
      object.member("provider", provider)
      object.member("model", model)
      object.members(of: prices)
      object.member("price_version", label)
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

/// Reads and writes `pricing_config`: clients' own prices. A replaced or removed override keeps its
/// row, so that price versions can always be looked up.
struct PriceOverrideStore {
  private let connection: DatabaseConnection

  init(_ connection: DatabaseConnection) {
    self.connection = connection
  }

  /// Returns the overrides in force, of one client or of all.
  func all(of clientID: String? = nil) throws(LedgerError) -> [StoredPriceOverride] {
    let select = try connection.prepare(PriceOverrideStore.selectInForce)
    select.bind(clientID)
    return try select.rows(
      passingOver: connection.unreadable, .closesClient, StoredPriceOverride.init(from:))
  }

  /// Returns the number of the client's next override.
  func nextNumber(of clientID: String) throws(LedgerError) -> Int64 {
    let select = try connection.prepare(
      "SELECT coalesce(max(number), 0) + 1 FROM pricing_config WHERE client_id = ?")
    select.bind(clientID)
    return try select.firstInteger() ?? 1
  }

  func insert(_ override: StoredPriceOverride) throws(LedgerError) {
    let insert = try connection.prepare(PriceOverrideStore.insertOverride)
    var parameters = ParameterWriter(insert)
    override.write(to: &parameters)
    try insert.run()
  }

  func end(_ override: StoredPriceOverride, at now: Timestamp) throws(LedgerError) {
    let update = try connection.prepare(
      "UPDATE pricing_config SET ended_at = ?3 WHERE client_id = ?1 AND number = ?2")
    try update.run(override.clientID, override.number, now.rfc3339)
  }

  private static let selectInForce = """
    SELECT * FROM pricing_config
    WHERE ended_at IS NULL AND (CAST(?1 AS TEXT) IS NULL OR client_id = ?1)
    ORDER BY client_id, provider, model
    """
  /// The columns of `StoredPriceOverride.write(to:)`, in its order.
  private static let insertOverride = """
    INSERT INTO pricing_config (client_id, number, provider, model, prices, created_at)
    VALUES (?, ?, ?, ?, ?, ?)
    """
}
