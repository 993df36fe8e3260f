internal import JSON
internal import Ledger
internal import Pricing
internal import Time

/// A row of `denials` as the API shows it.
enum DenialJSON {
  static let schema = JSONSchema.named(
    "Denial",
    .object([
      "id": .count, "request_id": .anyText, "client_id": .anyText, "key_name": .anyText,
      "user_id": .anyText.orNull, "operation": .choice(of: Operation.self), "model": .anyText,
      "budget_id": .anyText, "reason": .choice(of: DenialReason.self), "limit_value": .count,
      "used": .count, "held": .count, "requested": .count, "reset_at": .instant.orNull,
      "created_at": .instant,
    ]))

  static func write(_ row: DenialRow, id: Int64, to writer: inout JSONWriter) {
    writer.object { object in
      object.member("id", id)
      object.member("request_id", "\(row.requestID)")
      object.member("client_id", row.clientID)
      object.member("key_name", row.keyName)
      object.member("user_id", row.userID)
      object.member("operation", row.operation.rawValue)
      object.member("model", row.model)
      object.member("budget_id", row.budgetID)
      object.member("reason", row.reason.rawValue)
      object.member("limit_value", row.limitValue)
      object.member("used", row.used)
      object.member("held", row.held)
      object.member("requested", row.requested)
      object.member("reset_at", row.resetAt?.rfc3339)
      object.member("created_at", row.createdAt.rfc3339)
    }
  }
}
