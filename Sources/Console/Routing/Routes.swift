/// Every call that there is, in the order of the document.
enum Routes {
  /// Those of the admin listener.
  static let admin: [APIRoute] =
    HealthCalls.routes + MetricsCalls.routes + ClientCalls.routes + KeyCalls.routes
    + SubscriptionCalls.routes + PlanCalls.routes + CreditCalls.routes + BudgetCalls.routes
    + BudgetActionCalls.routes + PricingCalls.routes + MissingPriceCalls.routes
    + ObjectCalls.routes
    + LogCalls.routes + AlertCalls.routes
    + TokenBillingCalls.routes + ChargeCalls.routes + PaidSubscriptionCalls.routes
    + PaymentEventCalls.routes
    + AnalyticsCalls.routes + clients + [OpenAPIDocument.route]

  /// Those that a client's key may make, also on the proxy's listener.
  static let clients: [APIRoute] = BudgetStatusCalls.routes + UsageCalls.routes + WidgetCalls.routes
}
