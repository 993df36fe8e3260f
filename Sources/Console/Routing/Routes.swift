/// All calls of the API, in the order of the OpenAPI document.
enum Routes {
  /// The routes of the admin listener.
  static let admin: [APIRoute] =
    HealthCalls.routes + MetricsCalls.routes + ClientCalls.routes + KeyCalls.routes
    + SubscriptionCalls.routes + PlanCalls.routes + CreditCalls.routes + BudgetCalls.routes
    + BudgetActionCalls.routes + PricingCalls.routes + MissingPriceCalls.routes
    + ObjectCalls.routes
    + LogCalls.routes + AlertCalls.routes
    + TokenBillingCalls.routes + ChargeCalls.routes + PaidSubscriptionCalls.routes
    + PaymentEventCalls.routes
    + AnalyticsCalls.routes + clients + [OpenAPIDocument.route]

  /// The calls that clients' keys may make, which the proxy's listener serves too.
  static let clients: [APIRoute] = BudgetStatusCalls.routes + UsageCalls.routes + WidgetCalls.routes
}
