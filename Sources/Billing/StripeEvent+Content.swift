internal import JSON
public import Ledger

extension StripeEvent {
  /// What the ledger takes over of it.
  public var event: PaymentEvent {
    PaymentEvent(id: id, content: content, createdAt: createdAt)
  }

  private var content: PaymentEvent.Content {
    switch type {
    case "payment_intent.succeeded", "payment_intent.payment_failed",
      "payment_intent.requires_action", "payment_intent.canceled":
      return payment ?? .other
    case "invoice.paid", "invoice.payment_succeeded":
      return fixedFee { .succeeded(payment: $0) }
    case "invoice.payment_failed":
      return fixedFee { .refused(reason: "the invoice was not paid", payment: $0) }
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
      ? .refused(reason: "the payment was canceled", payment: payment.id) : payment.attempt
    return attempt.map {
      .payment(
        client: metadata.clientID, period: metadata.period, block: metadata.block, $0)
    }
  }

  private func fixedFee(_ attempt: (String) -> ChargeAttempt) -> PaymentEvent.Content {
    let subscription =
      object["subscription"]?.string
      ?? object["parent"]?["subscription_details"]?["subscription"]?.string
    guard let invoice = object["id"]?.string, let subscription else { return .other }
    return .fixedFee(
      subscription: subscription, attempt(object["payment_intent"]?.string ?? invoice))
  }
}
