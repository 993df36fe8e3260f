internal import Configuration
internal import JSON
internal import Ledger
internal import Money
internal import Pricing

/// A Stripe subscription, which collects a plan's fixed fee every month.
struct StripeSubscription {
  let id: String
  let status: StoredSubscription.Status
  /// Its plan at Stripe.
  let plan: String?
  let latestInvoice: String?

  init?(_ object: JSONValue) {
    guard let id = object["id"]?.string, let status = object["status"]?.string else { return nil }
    self.id = id
    self.status = StripeSubscription.status(status)
    plan =
      object["items"]?["data"]?.elements.first { _ in true }?["plan"]?["id"]?.string
      ?? object["plan"]?["id"]?.string
    let invoice = object["latest_invoice"]
    latestInvoice = invoice?.string ?? invoice?["id"]?.string
  }

  /// Returns the status for Stripe's word: whether the fee is paid.
  static func status(_ text: String) -> StoredSubscription.Status {
    switch text {
    case "active", "trialing": .active
    case "canceled", "incomplete_expired": .canceled
    default: .pastDue
    }
  }
}

extension StripeAccount {
  /// Subscribes a customer to a plan's fixed fee. An existing subscription to the same plan is
  /// returned unchanged.
  ///
  /// - Parameter former: The previous subscription, which ends if it is to another plan; nil for
  ///   none.
  func subscribe(
    _ clientID: String, as customer: String, to plan: Plan, former: String?
  ) async throws(StripeError) -> StripeSubscription {
    let planID = try await self.planID(of: plan)
    if let former, let known = try await subscription(former), known.status != .canceled {
      if known.plan == planID { return known }
      _ = try await client.delete("subscriptions/\(former)", of: settings)
    }
    let object = try await client.post(
      "subscriptions",
      ["customer": customer, "items[0][plan]": planID, "metadata[client]": clientID],
      key: "catraca-subscription-\(clientID)-\(planID)-\(former ?? "first")", of: settings)
    guard let subscription = StripeSubscription(object) else {
      throw .unavailable(reason: "the answer is no subscription")
    }
    return subscription
  }

  func invoice(_ id: String) async throws(StripeError) -> StripeInvoice? {
    StripeInvoice(try await client.get("invoices/\(id)", of: settings))
  }

  private func subscription(_ id: String) async throws(StripeError) -> StripeSubscription? {
    do throws(StripeError) {
      return StripeSubscription(try await client.get("subscriptions/\(id)", of: settings))
    } catch .refused(let refusal) where refusal.isMissing {
      return nil
    }
  }

  /// Returns Stripe's plan with the same fee: the one with Catraca's name for it, or else a new
  /// one.
  private func planID(of plan: Plan) async throws(StripeError) -> String {
    let fee = plan.billing?.fixedFee ?? Money(nanoUnits: 0, currency: .usd)
    let amount = fee.minorUnits ?? 0
    let currency = fee.currency.code.lowercased()
    func costsTheSame(_ object: JSONValue) -> Bool {
      object["amount"]?.integer == amount && object["currency"]?.string?.lowercased() == currency
        && object["interval"]?.string == "month"
    }
    if let known = try await find("plans/\(plan.name)"), costsTheSame(known) { return plan.name }
    let own = "catraca-\(plan.name)-\(currency)-\(amount)"
    if try await find("plans/\(own)") != nil { return own }
    _ = try await client.post(
      "plans",
      [
        "id": own, "amount": "\(amount)", "currency": currency, "interval": "month",
        "product[name]": plan.displayName,
      ], of: settings)
    return own
  }

  private func find(_ path: String) async throws(StripeError) -> JSONValue? {
    do throws(StripeError) {
      return try await client.get(path, of: settings)
    } catch .refused(let refusal) where refusal.isMissing {
      return nil
    }
  }
}
