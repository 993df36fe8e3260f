internal import JSON
internal import Ledger
internal import Money
internal import Time

/// A charge as the API shows it: amounts in the smallest unit of the currency.
enum ChargeJSON {
  static let schema = JSONSchema.named(
    "Charge",
    .object([
      "id": .anyText, "client_id": .anyText, "user_id": .anyText, "period": .anyText,
      "block": .count, "billing_tier": .anyText, "tokens_total": .count, "amount_charged": .count,
      "currency": .currency, "status": status, "attempts": .count, "last_error": .anyText.orNull,
      "payment_id": .anyText.orNull, "created_at": .instant, "updated_at": .instant,
    ]))

  /// The form of a charge in the answer of `process-usage`.
  static let tierSchema = JSONSchema.named(
    "TierCharge",
    .object([
      "id": .anyText, "billing_tier": .anyText, "amount_charged": .count, "status": status,
    ]))

  private static let status = JSONSchema.choice(of: BillingCharge.Status.self)

  static func write(_ charge: BillingCharge, to writer: inout JSONWriter) {
    writer.object { object in
      object.member("id", charge.name)
      object.member("client_id", charge.clientID)
      object.member("user_id", charge.clientID)
      object.member("period", charge.period)
      object.member("block", charge.block)
      object.member("billing_tier", charge.tier)
      object.member("tokens_total", charge.tokensTotal)
      object.member("amount_charged", charge.amount)
      object.member("currency", charge.currency.code)
      object.member("status", charge.status.rawValue)
      object.member("attempts", Int64(charge.attempts))
      object.member("last_error", charge.lastError)
      object.member("payment_id", charge.paymentID)
      object.member("created_at", charge.createdAt.rfc3339)
      object.member("updated_at", charge.updatedAt.rfc3339)
    }
  }

  static func writeTier(_ charge: BillingCharge, to writer: inout JSONWriter) {
    writer.object { object in
      object.member("id", charge.name)
      object.member("billing_tier", charge.tier)
      object.member("amount_charged", charge.amount)
      object.member("status", charge.status.rawValue)
    }
  }
}
