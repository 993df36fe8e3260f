internal import JSON
internal import Money
internal import Objects
internal import Pricing
internal import Time

extension LedgerReader {
  /// Returns the objects whose rows can't be read. Requests that name one of them can't be
  /// admitted.
  func providerObjectDifferences() throws(LedgerError) -> [AuditDifference] {
    let kinds = ObjectKind.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    let instant = "LIKE '____-__-__T__:__:__.___Z'"
    let select = try connection.prepare(
      """
      SELECT * FROM provider_objects
      WHERE kind NOT IN (\(kinds)) OR created_at NOT \(instant) OR deleted_at NOT \(instant)
      ORDER BY object_id, provider
      """)
    var differences: [AuditDifference] = []
    try select.forEachRow { () throws(LedgerError) in
      let fields = ColumnReader(statement: select)
      do throws(LedgerError) {
        _ = try ProviderObject(from: fields)
      } catch {
        differences.append(
          AuditDifference(
            check: .unreadableRow, subject: fields.text("object_id") ?? "?",
            recorded: error.description, recomputed: ""))
      }
    }
    return differences
  }
}

/// The object in the audit log, before or after a change.
extension ProviderObject {
  var auditObject: String {
    var writer = JSONWriter()
    writer.object { object in
      object.member("provider", provider)
      object.member("object_id", objectID)
      object.member("kind", kind.rawValue)
      object.member("client_id", owner.text)
      object.member("key_name", keyName)
      object.member("created_at", createdAt.rfc3339)
      object.member("deleted_at", deletedAt?.rfc3339)
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension JSONWriter {
  /// Writes an array, or null.
  mutating func strings(_ items: [String]?) {
    guard let items else { return null() }
    array { array in
      for item in items { array.string(item) }
    }
  }

  /// Writes a number, or null.
  mutating func optional(_ number: Int64?) {
    if let number { integer(number) } else { null() }
  }
}
