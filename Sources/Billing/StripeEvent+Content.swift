internal import JSON
public import Ledger

extension StripeEvent {
  /// The event in the form that the ledger applies.
  public var event: PaymentEvent {
    PaymentEvent(id: id, content: content, createdAt: createdAt)
  }

  private var content: PaymentEvent.Content {
    switch type {
    case "payment_intent.succeeded", "payment_intent.payment_failed",
      "payment_intent.requires_action", "payment_intent.canceled":
      return payment ?? .other
    case "invoice.paid", "invoice.payment_succeeded":
      return StripeInvoice(object)?.payment.map(PaymentEvent.Content.fixedFee) ?? .other
    case "invoice.payment_failed":
      return StripeInvoice(object)?.refusal.map(PaymentEvent.Content.fixedFee) ?? .other
    case "customer.subscription.created", "customer.subscription.updated",
      "customer.subscription.deleted":
      guard let subscription = StripeSubscription(object) else { return .other }
      let isDeleted = type == "customer.subscription.deleted"
      return .subscription(subscription.id, isDeleted ? .canceled : subscription.status)
    default: return .other
    }
  }

  private var payment: PaymentEvent.Content? {
    guard let payment = StripePayment(object), let metadata = payment.metadata else { return nil }
    let attempt: ChargeAttempt? =
      payment.status == .canceled
      ? .refused(reason: StripePayment.wasCanceled, payment: payment.id) : payment.attempt
    return attempt.map {
      .payment(
        ChargePayment(
          clientID: metadata.clientID, period: metadata.period, block: metadata.block,
          number: payment.number, attempt: $0, paid: payment.paid))
    }
  }
}
