public import Time

extension LedgerReader {
  /// Models that were refused for want of a price at `since` or later, the latest first.
  public func unpricedModels(
    since: Timestamp, limit: Int
  ) throws(LedgerError) -> [UnpricedModel] {
    let select = try connection.prepare(LedgerReader.selectUnpricedModels)
    select.bind(since.rfc3339, at: 1)
    select.bind(Int64(limit), at: 2)
    return try select.rows { fields throws(LedgerError) in
      let record = "a model without a price"
      return UnpricedModel(
        try fields.requiredText("model", of: record),
        detail: fields.text("detail").flatMap { $0.isEmpty ? nil : $0 },
        clientID: fields.text("client_id"), requests: fields.integer("requests") ?? 0,
        lastSeen: try fields.requiredInstant("last_seen", of: record))
    }
  }

  private static let selectUnpricedModels =
    "SELECT * FROM unpriced_models WHERE last_seen >= ?1 ORDER BY last_seen DESC LIMIT ?2"
}
