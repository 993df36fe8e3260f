public import Configuration
internal import JSON
public import Ledger
internal import TLS
public import Time

/// An event that Stripe reports, after its signature was verified.
public struct StripeEvent {
  /// The event's ID, the same in each delivery.
  public let id: String
  let type: String
  let object: JSONValue
  public let createdAt: Timestamp

  /// The reason that a delivery isn't accepted.
  public enum Mistake: Error {
    case signature
    case age
    case body
  }

  /// The oldest accepted delivery, in seconds.
  static let largestAge: Int64 = 300

  /// Verifies and parses a delivery.
  ///
  /// - Parameter signature: `t=SECONDS,v1=HEX`, possibly with further schemes and codes.
  /// - Throws: `Mistake`.
  public init(
    _ body: [UInt8], signature: String, secret: Secret, at now: Timestamp
  ) throws(Mistake) {
    try StripeEvent.check(body, signature, secret, at: now)
    guard let event = try? JSONParser().parse(body), event.kind == .object,
      let id = event["id"]?.string, (1...255).contains(id.utf8.count),
      let type = event["type"]?.string, let object = event["data"]?["object"],
      object.kind == .object
    else { throw .body }
    self.id = id
    self.type = type
    self.object = object
    // An event isn't reported before it happens. A later time would take precedence over all later
    // events.
    let latest = now.advanced(by: .seconds(StripeEvent.largestAge))
    let created = event["created"]?.integer.flatMap { Timestamp(stripeSeconds: $0) }
    createdAt = min(created ?? now, latest)
  }

  private static func check(
    _ body: [UInt8], _ signature: String, _ secret: Secret, at now: Timestamp
  ) throws(Mistake) {
    var instant: Substring?
    var codes: [Substring] = []
    for part in signature.split(separator: ",") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2 else { continue }
      switch pair[0].trimmingSpaces {
      case "t": instant = pair[1]
      case "v1": codes.append(pair[1])
      default: break
      }
    }
    guard let instant, let seconds = Int64(instant) else { throw .signature }
    let expected = HMACSHA256.code(
      of: Array("\(instant).".utf8) + body, key: Array(secret.revealed().utf8))
    let isRight = codes.contains { code in
      SHA256Digest(hex: code.lowercased())?.isEqualInConstantTime(to: expected) ?? false
    }
    guard isRight else { throw .signature }
    let (age, overflows) = (now.milliseconds / 1000).subtractingReportingOverflow(seconds)
    guard !overflows, (-largestAge...largestAge).contains(age) else { throw .age }
  }
}

extension Substring {
  fileprivate var trimmingSpaces: Substring { drop { $0 == " " } }
}

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
