internal import JSON
internal import Ledger
internal import Money

/// The parts of a Stripe PaymentIntent that Catraca uses.
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
  /// The reason of a refusal; nil without one.
  let refusal: String?
  /// The metadata of its creation: client, period and block.
  let metadata: ChargeMetadata?
  /// The number of its attempt at the charge; nil if it isn't stated.
  let number: Int?
  let paid: PaidAmount
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
    number = object["metadata"]?["attempt"]?.string.flatMap { Int($0) }
    let received = status == .succeeded ? object["amount_received"]?.integer : nil
    paid = PaidAmount(stripe: object, amount: received ?? object["amount"]?.integer)
    createdAt = object["created"]?.integer ?? 0
  }

  static let wasCanceled = "the payment was canceled"

  /// The outcome of the charge's attempt with this payment; nil if it isn't known yet.
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

/// The charge that a payment is for, from the payment's metadata.
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

  /// The key by which Stripe recognizes a repetition of the payment.
  var idempotencyKey: String { "catraca-\(clientID)-\(period)-\(block)" }
}

extension PaidAmount {
  /// - Parameters:
  ///   - object: Stripe's object with the currency and the customer.
  ///   - amount: The paid amount, in Stripe's smallest unit.
  init(stripe object: JSONValue, amount: Int64?) {
    let currency = object["currency"]?.string.flatMap { Currency($0.uppercased()) }
    self.init(
      amount: amount.flatMap { amount in currency.flatMap { $0.ownUnits(ofStripe: amount) } },
      currency: currency,
      customerID: object["customer"]?.string ?? object["customer"]?["id"]?.string)
  }
}

extension Currency {
  /// Stripe uses two decimals for two currencies that have none.
  private var stripeFactor: Int64 { ["ISK", "UGX"].contains(code) ? 100 : 1 }

  /// Returns Stripe's form of an amount in the smallest unit, at most the largest `Int64`.
  func stripeUnits(of amount: Int64) -> Int64 {
    let (units, overflows) = amount.multipliedReportingOverflow(by: stripeFactor)
    return overflows ? .max : units
  }

  /// Returns an amount of Stripe's in the smallest unit; nil if it isn't a whole number of units.
  fileprivate func ownUnits(ofStripe amount: Int64) -> Int64? {
    amount.isMultiple(of: stripeFactor) ? amount / stripeFactor : nil
  }
}
