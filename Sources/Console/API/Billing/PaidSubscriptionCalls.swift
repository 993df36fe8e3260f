internal import Billing
internal import Budgets
internal import Configuration
internal import Ledger
internal import Time

/// `/api/token-billing/create-subscription`: makes a customer pay for a client's plan every month.
enum PaidSubscriptionCalls {
  static var routes: [APIRoute] {
    [
      APIRoute(
        .post, TokenBillingCalls.path + "create-subscription", .admin,
        "Makes a customer pay for a client's plan every month", body: fields,
        answers: .ok(.billing(paid)),
        handler: create)
    ]
  }

  private static let customerID = BodyField("customerId", .text)
  private static let clientID = BodyField("clientId", .name)
  private static let fields = Fields(
    required: [customerID], optional: [clientID, SubscriptionCalls.plan])

  /// A client's plan that a customer pays for.
  private struct PaidPlan {
    let subscription: PaymentClient.PaidSubscription
    let customer: String
    let client: Client
    let plan: String
    let end: Timestamp?
  }

  private static let paid =
    ([
      .field("subscriptionId", \.subscription.id), .field("customerId", \.customer),
      .field("clientId", \.client.id), .field("plan", \.plan),
      .choice("status", \.subscription.status),
      .field("currentPeriodEnd", as: .instant.orNull) { $0.end.map($0.client.timeZone.rfc3339) },
    ] as AnswerFields<PaidPlan>).named("PaidSubscription")

  private static func create(_ call: Call) async throws(APIError) -> Answer {
    let body = try call.body()
    let customer = try body.require(customerID)
    let client = try client(in: body, customer, call)
    let plan = try plan(in: body, of: client, call)
    let today = client.timeZone.civilDate(of: call.now)
    let subscription = try await subscribe(client, as: customer, to: plan, call)
    try await call.change { editor throws(LedgerError) in
      try editor.subscribe(
        PaymentAccount(
          clientID: client.id, customerID: customer, subscriptionID: subscription.id,
          status: subscription.status), to: client.plan == plan ? nil : plan, startedOn: today)
    }
    // The subscription opened the period that the payment belongs to.
    if let payment = subscription.payment {
      try note(payment, ofClient: client.id, call)
    }
    guard let changed = call.server.clients.client(client.id) else {
      throw .notFound("client \(client.id)")
    }
    return .billing(
      paid,
      PaidPlan(
        subscription: subscription, customer: customer, client: changed, plan: plan,
        end: changed.planWindow(at: call.now).end))
  }

  private static func note(
    _ payment: FeePayment, ofClient clientID: String, _ call: Call
  ) throws(APIError) {
    var outcome = PaymentOutcome.taken
    try call.amend { editor throws(LedgerError) in
      do throws(LedgerError) {
        outcome = try editor.take(
          payment, ofClient: clientID, payer: PaymentEventCalls.payer(in: call))
      } catch .notFound {
        // The month hasn't begun here yet. The provider reports the payment again with an event.
      }
    }
    if case .differs(let reason) = outcome { call.server.tell(ofPaymentDifference: reason) }
  }

  /// Creates the subscription at the payment provider, which then collects the plan's fixed fee.
  /// Without a payment provider, the subscription exists in the ledger only.
  private static func subscribe(
    _ client: Client, as customer: String, to name: String, _ call: Call
  ) async throws(APIError) -> PaymentClient.PaidSubscription {
    guard case .stripe(let settings) = call.settings.payments, let plan = call.clients.plans[name]
    else {
      return PaymentClient.PaidSubscription(
        id: "sub_\(client.id)", status: .active, payment: nil)
    }
    let former = try call.read { reader throws(LedgerError) in
      try reader.paymentAccount(ofClient: client.id)
    }
    call.closeReader()
    do throws(PaymentError) {
      return try await call.server.paymentClient.subscribe(
        client.id, as: customer, to: plan,
        former: former?.customerID == customer ? former?.subscriptionID : nil,
        through: settings)
    } catch {
      switch error {
      case .unavailable(let reason): throw .paymentUnavailable(reason)
      case .refused(let reason):
        throw .invalidValue(
          "customerId", allowed: "a customer who can pay; the payment provider says: \(reason)")
      }
    }
  }

  /// The client that the body names; without a name, the client of this customer.
  private static func client(
    in body: Body, _ customer: String, _ call: Call
  ) throws(APIError) -> Client {
    if let id = try body.read(clientID) { return try call.client(id) }
    let known = try call.read { reader throws(LedgerError) in
      try reader.paymentAccount(ofCustomer: customer)
    }
    let client =
      known.flatMap { call.clients.client($0.clientID) }
      ?? call.clients.clients.first { $0.paymentCustomerID == customer }
    return try body.require("clientId", client)
  }

  private static func plan(
    in body: Body, of client: Client, _ call: Call
  ) throws(APIError) -> String {
    let asked = try SubscriptionCalls.plan(in: body, call)
    let plan = try body.require("plan", asked ?? client.plan)
    if client.declaresPlan, plan != client.plan, let line = client.line {
      throw .declaredInFile("The plan of client \(client.id)", line: line)
    }
    return plan
  }
}
