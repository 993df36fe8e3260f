public import Configuration
public import Ledger
public import Time

internal import Budgets
internal import Pricing

extension ClientRegistry {
  /// By what each client whose plan has a price is billed.
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

  /// When the next period of a billed client begins; nil where nobody is billed.
  public func nextBillingPeriod(after now: Timestamp) -> Timestamp? {
    clients.compactMap { client in
      let isBilled = client.plan.flatMap { plans[$0]?.billing } != nil
      return isBilled ? client.planWindow(at: now).end : nil
    }.min()
  }
}

extension Client {
  /// The day of the month on which its periods begin: that of its subscription, else the first.
  fileprivate var billingDay: Int { subscription?.startedOn.day ?? 1 }
}
