internal import Configuration
internal import JSON
internal import Ledger
internal import Money
internal import Time

/// Catraca's operations on an account at Stripe: customers, payments, subscriptions.
struct StripeAccount {
  let client: StripeClient
  let settings: StripeSettings

  // MARK: Customers

  /// Creates a customer for a client. A repetition soon afterwards returns the same customer.
  func makeCustomer(of client: Client) async throws(StripeError) -> String {
    let customer = try await self.client.post(
      "customers", ["name": client.name, "metadata[client]": client.id],
      key: "catraca-customer-\(client.id)", of: settings)
    return try StripeAccount.id(of: customer)
  }

  /// Returns a customer's payment method for payments without the customer's presence: the default,
  /// or else the first.
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

  /// Pays a charge with a payment method of its customer.
  ///
  /// - Parameter attempt: The number of the attempt, from 0. Each attempt is a separate payment.
  ///   Repeating an attempt whose answer was lost gives the same payment.
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

  /// Cancels a refused payment, so that it is never paid.
  func cancel(_ id: String) async throws(StripeError) {
    _ = try await client.post("payment_intents/\(id)/cancel", of: settings)
  }

  private static let pageSize = 100
  /// The most pages that are searched. If more payments were made since the charge, its payment
  /// isn't among them.
  private static let mostPages = 50
  /// The largest difference between clocks, in seconds.
  private static let clockTolerance: Int64 = 86_400

  /// Returns the latest payment of a charge whose answer was lost; nil if none was made. A payment
  /// with another amount, currency or customer belongs to something else.
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
