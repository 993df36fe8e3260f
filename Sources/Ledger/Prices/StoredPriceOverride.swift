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

extension StoredPriceOverride: TableRecord {
  /// A replaced or removed override keeps its row, so that price versions can always be looked up.
  static let table = RecordTable<StoredPriceOverride>(
    "pricing_config", key: ["client_id", "provider", "model"], where: "ended_at IS NULL",
    ifUnreadable: .closesClient,
    blank: StoredPriceOverride(
      clientID: "", number: 0, provider: "", model: "", prices: AgreedPrices(PriceTable()),
      createdAt: Timestamp(milliseconds: 0)),
    title: { "a price override of client \($0.clientID)" },
    columns: [
      RecordColumn("client_id", \.clientID),
      RecordColumn("number", \.number),
      RecordColumn("provider", \.provider),
      RecordColumn("model", \.model),
      RecordColumn("prices", \.prices),
      RecordColumn("created_at", \.createdAt),
    ])
}

extension AgreedPrices: ColumnValue {
  var stored: String {
    var writer = JSONWriter()
    writer.object { $0.members(of: self) }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  static func value(_ stored: String) -> AgreedPrices? {
    try? AgreedPrices(json: stored, of: "prices")
  }
}

extension StoredPriceOverride: AuditedRecord {
  var auditTarget: String { "pricing:\(clientID)/\(provider)/\(model)" }
  var auditedClient: String? { clientID }

  func writeAudited(to object: inout JSONWriter) {
    object.member("client_id", clientID)
    object.member("provider", provider)
    object.member("model", model)
    object.members(of: prices)
    object.member("price_version", label)
  }
}

extension LedgerReader {
  /// Returns a client's own prices in force, by provider and model.
  /// - Throws: `LedgerError` if the database can't be read.
  public func priceOverrides(
    ofClient clientID: String
  ) throws(LedgerError) -> [StoredPriceOverride] {
    try connection.all(where: "client_id = ?", clientID)
  }
}

extension LedgerEditor {
  /// Sets a client's own prices for a model, in place of earlier ones.
  ///
  /// The caller must check that the client and the model exist.
  ///
  /// - Returns: The override, and whether the client had none before.
  /// - Throws: `LedgerError` if the database can't be written.
  public func replacePrices(
    _ prices: AgreedPrices, ofModel model: String, of provider: String, forClient clientID: String
  ) throws(LedgerError) -> (override: StoredPriceOverride, isNew: Bool) {
    try connection.edit { () throws(LedgerError) in
      let before = try connection.find(StoredPriceOverride.self, clientID, provider, model)
      let number = try connection.prepare(
        "SELECT coalesce(max(number), 0) + 1 FROM pricing_config WHERE client_id = ?")
      number.bind(clientID)
      let after = StoredPriceOverride(
        clientID: clientID, number: try number.firstInteger() ?? 1, provider: provider,
        model: model, prices: prices, createdAt: author.now)
      if let before { try end(before) }
      try connection.insert(after)
      try record(
        before == nil ? "pricing.create" : "pricing.update", before: before, after: after)
      return (after, before == nil)
    }
  }

  /// Removes a client's own prices for a model, so that the book's apply again.
  /// - Throws: `LedgerError.notFound`.
  public func removePrices(
    ofModel model: String, of provider: String, forClient clientID: String
  ) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      let found = try connection.find(StoredPriceOverride.self, clientID, provider, model)
      guard let before = found else {
        throw .notFound(record: "price override of client \(clientID) for \(provider)/\(model)")
      }
      try end(before)
      try record("pricing.delete", before: before, after: nil)
    }
  }

  private func end(_ override: StoredPriceOverride) throws(LedgerError) {
    let update = try connection.prepare(
      "UPDATE pricing_config SET ended_at = ?3 WHERE client_id = ?1 AND number = ?2")
    try update.run(override.clientID, override.number, author.now.rfc3339)
  }
}
