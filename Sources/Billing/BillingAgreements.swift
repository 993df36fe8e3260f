public import Configuration
public import Ledger
public import Time

internal import Budgets
internal import Pricing

extension ClientRegistry {
  /// Returns the billing terms of each client whose plan has a price.
  public func billingAgreements(
    _ payments: PaymentSettings, at now: Timestamp
  ) -> [BillingAgreement] {
    clients.compactMap { client in
      guard let plan = client.plan.flatMap({ plans[$0] }), let billing = plan.billing else {
        return nil
      }
      return BillingAgreement(
        clientID: client.id, plan: plan.name, startDay: client.billingDay,
        today: client.timeZone.civilDate(of: now),
        status: payments == .none ? .recorded : .pending, billing: billing)
    }
  }

  /// Returns the start of the next period of a billed client; nil if no client is billed.
  public func nextBillingPeriod(after now: Timestamp) -> Timestamp? {
    clients.compactMap { client in
      let isBilled = client.plan.flatMap { plans[$0]?.billing } != nil
      return isBilled ? client.planWindow(at: now).end : nil
    }.min()
  }
}

extension Client {
  /// The day of the month on which the client's periods begin: its subscription's, or the first.
  fileprivate var billingDay: Int { subscription?.startedOn.day ?? 1 }
}
