internal import Billing
internal import Configuration
internal import HTTP
internal import JSON
internal import Ledger

/// `/api/token-billing/webhook`: takes the payment provider's signed events.
enum PaymentEventCalls {
  static let path = TokenBillingCalls.path + "webhook"

  static var routes: [APIRoute] {
    var webhook = APIRoute(
      .post, path, .anyone, "Takes the payment provider's signed events",
      answers: .ok(.billing("PaymentEvent", .object(["received": .boolean]))), handler: take)
    webhook.takesAnyObject = true
    return [webhook]
  }

  private static let signature: FieldName = "stripe-signature"

  private static func take(_ call: Call) async throws(APIError) -> Answer {
    guard case .stripe(let settings) = call.settings.payments,
      let secret = settings.webhookSecret
    else { throw .notFound("payment provider in catraca.yaml that sends events") }
    let event = try event(call, secret)
    let payer = payer(in: call)
    let difference = try await call.change(as: "stripe") { editor throws(LedgerError) -> String in
      let outcome = try editor.take(event, payer: payer)
      if case .differs(let reason) = outcome { return reason }
      return ""
    }
    if !difference.isEmpty { call.server.tell(ofPaymentDifference: "\(event.id), \(difference)") }
    call.server.alertsAreDue()
    call.server.chargesAreDue()
    return .billing { $0.object { $0.member("received", true) } }
  }

  /// The payer of each client, as the configuration declares it.
  static func payer(in call: Call) -> (String) -> Payer? {
    { clientID in
      call.clients.client(clientID).map {
        Payer(zone: $0.timeZone, customerID: $0.paymentCustomerID)
      }
    }
  }

  private static func event(_ call: Call, _ secret: Secret) throws(APIError) -> PaymentEvent {
    do throws(StripeEvent.Mistake) {
      return try StripeEvent(
        call.bodyBytes, signature: call.fields.first(signature) ?? "", secret: secret,
        at: call.now
      ).event
    } catch {
      switch error {
      case .signature:
        throw .invalidValue(
          "Stripe-Signature", allowed: "the payment provider's signature of this body")
      case .age:
        throw .invalidValue("Stripe-Signature", allowed: "a signature made in the last 300 seconds")
      case .body: throw .invalidJSON("it is no event")
      }
    }
  }
}
