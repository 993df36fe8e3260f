internal import JSON
internal import Ledger
internal import Time

/// A Stripe invoice, by which a subscription collects a plan's fixed fee for a month.
struct StripeInvoice {
  let id: String
  /// The subscription; nil if the invoice belongs to none.
  let subscription: String?
  let isPaid: Bool
  private let paymentIntent: String?
  /// The start of the month that the invoice pays.
  private let periodStart: Timestamp?
  private let paid: PaidAmount

  init?(_ object: JSONValue) {
    guard let id = object["id"]?.string else { return nil }
    self.id = id
    subscription =
      object["subscription"]?.string
      ?? object["parent"]?["subscription_details"]?["subscription"]?.string
    isPaid = object["status"]?.string == "paid" || object["paid"]?.boolean == true
    paymentIntent = object["payment_intent"]?.string ?? object["payment_intent"]?["id"]?.string
    // The lines state the paid month. The invoice's own period is the one that ends when that month
    // begins.
    let starts = object["lines"]?["data"]?.elements.compactMap { line in
      line["period"]?["start"]?.integer
    }
    periodStart = (starts?.max() ?? object["period_end"]?.integer).flatMap {
      Timestamp(stripeSeconds: $0)
    }
    paid = PaidAmount(stripe: object, amount: object["amount_paid"]?.integer)
  }

  /// The payment of the fee; nil if the invoice belongs to no subscription.
  var payment: FeePayment? { fee(.succeeded(payment: paymentID)) }

  /// The refusal of the fee; nil if the invoice belongs to no subscription.
  var refusal: FeePayment? {
    fee(.refused(reason: "the invoice was not paid", payment: paymentID))
  }

  private var paymentID: String { paymentIntent ?? id }

  private func fee(_ attempt: ChargeAttempt) -> FeePayment? {
    subscription.map {
      FeePayment(subscriptionID: $0, periodStart: periodStart, attempt: attempt, paid: paid)
    }
  }
}

extension Timestamp {
  /// The end of the year 9999.
  private static let latestSeconds: Int64 = 253_402_300_799

  /// Creates a time from Stripe's seconds since 1970; nil for a time that no calendar has.
  init?(stripeSeconds seconds: Int64) {
    guard (0...Timestamp.latestSeconds).contains(seconds) else { return nil }
    self.init(milliseconds: seconds * 1000)
  }
}
