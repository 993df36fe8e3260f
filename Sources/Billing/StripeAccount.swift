internal import Configuration
internal import JSON
internal import Ledger
internal import Money
internal import Time

/// What Catraca does with an account at Stripe: customers, payments, subscriptions.
struct StripeAccount {
  let client: StripeClient
  let settings: StripeSettings

  // MARK: Customers

  /// Makes a customer of a client; the same one when it is repeated soon.
  func makeCustomer(of client: Client) async throws(StripeError) -> String {
    let customer = try await self.client.post(
      "customers", ["name": client.name, "metadata[client]": client.id],
      key: "catraca-customer-\(client.id)", of: settings)
    return try StripeAccount.id(of: customer)
  }

  /// What a customer pays with when it isn't there: its default, else the first that it has.
  func paymentMethod(of customer: String) async throws(StripeError) -> String? {
    let object = try await client.get("customers/\(customer)", of: settings)
    if let method = object["invoice_settings"]?["default_payment_method"]?.string {
      return method
    }
    if let source = object["default_source"]?.string { return source }
    let methods = try await client.get(
      "payment_methods", ["customer": customer, "type": "card", "limit": "1"], of: settings)
    return methods["data"]?.elements.first { _ in true }?["id"]?.string
  }

  // MARK: Payments

  /// Pays a charge with what its customer pays with.
  ///
  /// - Parameter attempt: which attempt it is, from 0. Each is another payment; the same one
  ///   repeated, since its answer was lost, is the same payment.
  func pay(
    _ charge: BillingCharge, by customer: String, with method: String, attempt: Int
  ) async throws(StripeError) -> StripePayment {
    let metadata = ChargeMetadata(charge)
    let suffix = attempt == 0 ? "" : "-\(attempt)"
    let object = try await client.post(
      "payment_intents",
      [
        "amount": "\(charge.currency.stripeUnits(of: charge.amount))",
        "currency": charge.currency.code.lowercased(), "customer": customer,
        "payment_method": method, "confirm": "true", "off_session": "true",
        "metadata[client]": metadata.clientID, "metadata[period]": metadata.period,
        "metadata[block]": "\(metadata.block)", "metadata[attempt]": "\(attempt)",
      ], key: metadata.idempotencyKey + suffix, of: settings)
    return try StripeAccount.payment(object)
  }

  func payment(_ id: String) async throws(StripeError) -> StripePayment {
    try StripeAccount.payment(try await client.get("payment_intents/\(id)", of: settings))
  }

  func confirm(_ id: String) async throws(StripeError) -> StripePayment {
    try StripeAccount.payment(
      try await client.post("payment_intents/\(id)/confirm", of: settings))
  }

  /// Has a payment that was refused never be paid.
  func cancel(_ id: String) async throws(StripeError) {
    _ = try await client.post("payment_intents/\(id)/cancel", of: settings)
  }

  private static let pageSize = 100
  /// Where so many payments were made since the charge, it is not among them.
  private static let mostPages = 50
  /// Clocks may differ by so much.
  private static let clockTolerance: Int64 = 86_400

  /// The latest payment of a charge whose answer was lost; nil where none was made. A payment of
  /// another amount, currency or customer is somebody else's.
  func findPayment(
    of charge: BillingCharge, by customer: String
  ) async throws(StripeError) -> StripePayment? {
    let metadata = ChargeMetadata(charge)
    let asked = PaidAmount(
      amount: charge.amount, currency: charge.currency, customerID: customer)
    let oldest = charge.createdAt.milliseconds / 1000 - StripeAccount.clockTolerance
    var query: StripeForm = ["limit": "\(StripeAccount.pageSize)"]
    for _ in 1...StripeAccount.mostPages {
      let page = try await client.get("payment_intents", query, of: settings)
      let payments = page["data"]?.elements.compactMap { StripePayment($0) } ?? []
      let found = payments.filter {
        $0.metadata == metadata && $0.paid == asked && $0.status != .canceled
      }
      if let payment = found.first(where: { $0.status == .succeeded }) ?? found.first {
        return payment
      }
      guard page["has_more"]?.boolean == true, let last = payments.last,
        last.createdAt >= oldest
      else { return nil }
      query = ["limit": "\(StripeAccount.pageSize)", "starting_after": last.id]
    }
    return nil
  }

  // MARK: Reading answers

  private static func payment(_ object: JSONValue) throws(StripeError) -> StripePayment {
    guard let payment = StripePayment(object) else {
      throw .unavailable(reason: "the answer is no payment")
    }
    return payment
  }

  static func id(of object: JSONValue) throws(StripeError) -> String {
    guard let id = object["id"]?.string else {
      throw .unavailable(reason: "the answer has no id")
    }
    return id
  }
}
