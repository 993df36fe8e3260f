internal import JSON
internal import Ledger
internal import Money

/// A PaymentIntent of Stripe's, as far as it matters here.
struct StripePayment {
  enum Status: String {
    case succeeded, processing, canceled
    case requiresAction = "requires_action"
    case requiresConfirmation = "requires_confirmation"
    case requiresPaymentMethod = "requires_payment_method"
    case requiresCapture = "requires_capture"
  }

  let id: String
  let status: Status
  /// Why it was refused, where it was.
  let refusal: String?
  /// What it was made with: client, period and block.
  let metadata: ChargeMetadata?
  /// In seconds since 1970.
  let createdAt: Int64

  init?(_ object: JSONValue) {
    guard let id = object["id"]?.string,
      let status = object["status"]?.string.flatMap({ Status(rawValue: $0) })
    else { return nil }
    self.id = id
    self.status = status
    let error = object["last_payment_error"]
    refusal = error?["message"]?.string.map { message in
      error?["code"]?.string.map { "\($0): \(message)" } ?? message
    }
    metadata = object["metadata"].flatMap(ChargeMetadata.init)
    createdAt = object["created"]?.integer ?? 0
  }

  /// What a charge has come to with this payment.
  ///
  /// Nil where that isn't known yet.
  var attempt: ChargeAttempt? {
    switch status {
    case .succeeded, .requiresCapture: .succeeded(payment: id)
    case .requiresAction: .needsAction(reason: "the payer has to authorize it", payment: id)
    case .requiresPaymentMethod:
      .refused(reason: refusal ?? "the payment was refused", payment: id)
    case .processing, .requiresConfirmation, .canceled: nil
    }
  }
}

/// Which charge a payment is for, as its metadata says.
struct ChargeMetadata: Hashable {
  let clientID: String
  let period: String
  let block: Int64

  init(_ charge: BillingCharge) {
    clientID = charge.clientID
    period = charge.period
    block = charge.block
  }

  init?(_ object: JSONValue) {
    guard let client = object["client"]?.string, let period = object["period"]?.string,
      let block = object["block"]?.string.flatMap({ Int64($0) })
    else { return nil }
    clientID = client
    self.period = period
    self.block = block
  }

  /// By which the provider knows a repetition of the payment.
  var idempotencyKey: String { "catraca-\(clientID)-\(period)-\(block)" }
}
